import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listCommands, PLANS } from './commands.ts'

const ROOT = join(import.meta.dirname, '../../../../..')
const all = listCommands()

test('every command in the operator documents is rehearsed, run by a named test, or listed with a reason', () => {
  expect(all.filter(({ plan }) => plan === undefined).map(({ document, text }) => [document, text])).toEqual(
    [],
  )
})

test('every plan belongs to a command, and every named test exists', () => {
  const planned = Object.entries(PLANS).flatMap(([document, plans]) =>
    plans.map(entry => ({ document, entry })),
  )
  const unused = planned.filter(({ document, entry: [, plan] }) => {
    return !all.some(command => command.document === document && command.plan === plan)
  })
  expect(unused).toEqual([])
  for (const { plan } of all) {
    if (typeof plan !== 'object' || !('file' in plan)) continue
    const source = readFileSync(join(ROOT, plan.file), 'utf8')
    expect([plan, source.includes(`test('${plan.title}',`)]).toEqual([plan, true])
  }
})

test('the shell functions of docs/proof.md compute its hashes', () => {
  const [, block = ''] =
    /```sh\n(leaf\(\)[\s\S]*?)```/.exec(readFileSync(join(ROOT, 'docs/proof.md'), 'utf8')) ?? []
  const said = [...block.matchAll(/# ([0-9a-f]{8})\.\.\.$/gm)].map(([, hash]) => hash)
  const { status, stdout } = spawnSync('sh', ['-euc', block], { encoding: 'utf8' })
  expect(status).toBe(0)
  const printed = stdout.trim().split('\n')
  expect(said.length).toBeGreaterThan(0)
  expect(printed.map(hash => hash.slice(0, 8))).toEqual(said)
})
