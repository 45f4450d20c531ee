import { expect, test } from 'vitest'
import { takeTurns } from './take-turns.ts'

test('runs one piece of work at a time, in order, also after one that failed', async () => {
  const inTurn = takeTurns()
  const steps: string[] = []
  const work = (name: string, fails = false) =>
    inTurn(async () => {
      steps.push(`${name} begins`)
      await new Promise(setImmediate)
      steps.push(`${name} ends`)
      if (fails) throw new Error(name)
      return name
    })
  const results = await Promise.allSettled([work('a'), work('b', true), work('c')])
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(steps).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'])
})

test('refuses work when 2,000 pieces wait, and takes it again when they are done', async () => {
  const inTurn = takeTurns()
  let open = () => {}
  const opened = new Promise<void>(resolve => {
    open = resolve
  })
  const waiting = Array.from({ length: 2_000 }, () => inTurn(() => opened))
  await expect(inTurn(() => opened)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  open()
  await Promise.all(waiting)
  expect(await inTurn(async () => 'done')).toBe('done')
})
