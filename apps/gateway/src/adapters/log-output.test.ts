import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, write, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../test/kit/until.ts'
import { createLogOutput } from './log-output.ts'

/** Descriptors that others of this process may have taken meanwhile. */
const TAKEN_MAX = 50
const KEPT_LENGTH_MAX = 1_048_576

let directory: string
let file: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'farebox-log-'))
  file = join(directory, 'log')
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const writeTo = promisify<number, string, number>(write)
const lineOf = (number: number) => `${JSON.stringify({ level: 'info', number, text: 'x'.repeat(200) })}\n`
const linesOf = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as Record<string, unknown>)

/** Opens the file for writing, by the same descriptor: what was refused before is accepted from now on. */
function acceptWrites(fd: number): void {
  closeSync(fd)
  const others: number[] = []
  for (let taken = 0; taken < TAKEN_MAX; taken += 1) {
    const next = openSync(file, 'a')
    if (next === fd) break
    others.push(next)
  }
  for (const other of others) closeSync(other)
}

test('lines that an output refuses are written once it accepts them, in order, and those dropped are counted', async () => {
  writeFileSync(file, '')
  // Open for reading only: every write fails, on every system, as on a full disk.
  const fd = openSync(file, 'r')
  const output = createLogOutput(fd)
  const total = 8_000
  for (let number = 0; number < total; number += 1) output.write(lineOf(number))
  output.write('{"level":"error","number":8000}\n')
  // Later writes than those of the output, which are refused by then.
  for (let times = 0; times < 5; times += 1)
    await expect(writeTo(fd, 'x')).rejects.toMatchObject({ code: 'EBADF' })
  acceptWrites(fd)
  const seen = () => readFileSync(file, 'utf8')
  await until('the dropped lines are counted', () => seen().includes('linesDropped'))
  const lines = linesOf(seen())
  const kept = lines.flatMap(({ number }) => (typeof number === 'number' ? [number] : []))
  expect(kept).toEqual(kept.map((_, index) => index))
  expect(lines.at(-1)).toMatchObject({
    level: 'warn',
    reason: 'EBADF',
    linesDropped: total + 1 - kept.length,
  })
  expect(seen().length).toBeLessThan(KEPT_LENGTH_MAX + 2_000)
  output.write('{"level":"warn","number":"after"}\n')
  await until('later lines are written', () => seen().includes('after'))
  closeSync(fd)
})
