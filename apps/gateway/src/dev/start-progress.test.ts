import { expect, test } from 'vitest'
import { until } from '../../test/kit/until.ts'
import { reportProgress } from './start-progress.ts'

const SILENCE_MS = 20

function start(steps: number) {
  const lines: string[] = []
  return { lines, progress: reportProgress(steps, line => lines.push(line), SILENCE_MS) }
}

test('numbers the steps as they complete, with seconds', async () => {
  const { lines, progress } = start(2)
  const slow = Promise.withResolvers<string>()
  const first = progress.step('database', slow.promise)
  await progress.step('chain', Promise.resolve())
  slow.resolve('a part')
  expect(await first).toBe('a part')
  const ready = lines.filter(line => !line.includes('...'))
  expect(ready[0]).toMatch(/^ {2}1\/2 +\d+\.\d s {2}ready: chain$/)
  expect(ready[1]).toMatch(/^ {2}2\/2 +\d+\.\d s {2}ready: database$/)
})

test('repeats what it waits for while nothing completes', async () => {
  const { lines, progress } = start(3)
  const slow = Promise.withResolvers<void>()
  const steps = [progress.step('database', slow.promise), progress.step('chain', slow.promise)]
  await until('it reports twice', () => lines.length >= 2)
  expect(lines[0]).toMatch(/^ {2}\.\.\. +\d+\.\d s {2}waiting for: database, chain$/)
  slow.resolve()
  await Promise.all(steps)
})

test('rethrows the failure of a step and stops waiting for it', async () => {
  const { lines, progress } = start(2)
  const slow = Promise.withResolvers<void>()
  const other = progress.step('chain', slow.promise)
  await expect(progress.step('database', Promise.reject(new Error('no disk')))).rejects.toThrow('no disk')
  await until('it reports', () => lines.length > 0)
  expect(lines[0]).toMatch(/waiting for: chain$/)
  slow.resolve()
  await other
  expect(lines.at(-1)).toContain('1/2')
})
