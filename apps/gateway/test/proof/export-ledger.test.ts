import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sealEntries } from '../../src/domains/ledger/proof/seal-entries.ts'
import { startTestGateway, type TestGateway, testEnvironment } from '../kit/gateway/test-gateway.ts'
import { ownerWith } from '../kit/world/world.ts'
import { runProgram } from './programs.ts'

/** Entries that would not be in so much memory at once, in MB, beside the program. */
const MANY = 200_000
const HEAP_MB = 96

type Line = Record<string, unknown> & { readonly type: string }

let on: TestGateway
let directory: string
let file: string
let lines: Line[]
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'farebox-ledger-'))
  file = join(directory, 'ledger.ndjson')
  on = await startTestGateway()
  for (const amount of ['3', '4.5', '0.25']) {
    await ownerWith(on, amount)
    await sealEntries(on.gateway.deps, new AbortController().signal)
  }
  // After the last seal, as far as it goes by this test.
  await ownerWith(on, '1')
  const { code, output } = await exportInto(file)
  expect(output).toContain('8 entries')
  expect(code).toBe(0)
  lines = (await readFile(file, 'utf8'))
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
})
afterAll(async () => {
  await on.stop()
  await rm(directory, { recursive: true, force: true })
})

const exportInto = (into: string) =>
  runProgram('apps/gateway/src/bin/export-ledger.ts', [into], testEnvironment(on))
/** Nothing but the file: no setting, no database. */
const verify = (of: string, ...args: string[]) =>
  runProgram('apps/gateway/src/bin/verify-ledger.ts', [of, ...args])
const ofType = (type: string) => lines.filter(line => line.type === type)

async function verifyChanged(change: (all: Line[]) => Line[]) {
  const changed = join(directory, 'changed.ndjson')
  await writeFile(
    changed,
    change(lines)
      .map(line => `${JSON.stringify(line)}\n`)
      .join(''),
  )
  return verify(changed)
}
const change = (type: string, index: number, by: Record<string, unknown>) => (all: Line[]) =>
  all.map(line => (line === ofType(type).at(index) ? { ...line, ...by } : line))
const without = (type: string, index: number) => (all: Line[]) =>
  all.filter(line => line !== ofType(type).at(index))

describe('an exported ledger', () => {
  test('is complete, readable by its owner only, and verifies without a gateway', async () => {
    expect(lines[0]).toMatchObject({ type: 'ledger', version: 2 })
    expect(lines.at(-1)).toEqual({ type: 'end', accounts: 8, entries: 8, seals: ofType('seal').length })
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const newest = ofType('seal').at(-1)
    const { code, output } = await verify(file)
    expect(output).toContain('wallets are owed    8.750000 USDC')
    expect(output).toContain('the vault must hold 8.750000 USDC')
    expect(output).toContain(`newest seal         ${newest?.number}:${newest?.hash}`)
    expect(output).toContain('The ledger is valid')
    expect(code).toBe(0)
  })

  test('of the first version, whose seals have no heads of a log, still verifies', async () => {
    const old = join(import.meta.dirname, 'ledger-v1.jsonl')
    const { code, output } = await verify(old)
    expect(output).toContain(
      'newest seal         1:0x166155a3c73d0e21479e0bcdab16bc0925f3783b752a3167bd0db32a18f958cb',
    )
    expect(code).toBe(0)
    const changed = join(directory, 'changed-v1.ndjson')
    await writeFile(
      changed,
      (await readFile(old, 'utf8')).replace('"amount":"-150000"', '"amount":"-150001"'),
    )
    const broken = await verify(changed)
    expect(broken.output).toContain('a-seal-fits-its-entries')
    expect(broken.code).toBe(1)
  })

  test('has the seals that the gateway publishes', async () => {
    const shown = (
      await on.sql<{ number: string; hash: Buffer }>('select number, hash from seals order by number')
    ).map(({ number, hash }) => ({ number, hash: `0x${hash.toString('hex')}` }))
    const sealed = ofType('seal').map(({ number, hash }) => ({ number, hash }))
    expect(shown.slice(0, sealed.length)).toEqual(sealed)
    expect(sealed.length).toBeGreaterThanOrEqual(3)
  })

  test.each([
    [
      'an amount',
      change('entry', 2, { amount: '5000000' }),
      ['movement', 'posted-is-the-sum-of-entries', 'a-seal-fits-its-entries'],
    ],
    [
      'a time',
      change('entry', 0, { createdAt: '2026-01-01T00:00:00.000000Z' }),
      ['a-seal-fits-its-entries: seal 1, entries 1 to 2'],
    ],
    [
      'a reference',
      change('entry', -1, { reference: 'another' }),
      ['entries-of-a-movement-add-up-to-zero: deposit another'],
    ],
    ['an account', change('account', 0, { posted: '7' }), ['posted-is-the-sum-of-entries: consumer:0x']],
    ['a reserved amount', change('account', 0, { reserved: '99999999999' }), ['wallets-are-not-overdrawn']],
    [
      'a root',
      change('seal', 1, { root: `0x${'00'.repeat(32)}` }),
      ['a-seal-fits-its-entries: seal 2', 'a-seal-has-the-hash-of-what-it-says'],
    ],
    [
      'a hash',
      change('seal', 0, { hash: `0x${'00'.repeat(32)}` }),
      ['a-seal-contains-the-hash-of-the-one-before: seal 2'],
    ],
    ['a seal number', change('seal', 0, { number: 'x' }), ['a-line-can-be-read: line ']],
  ])('with %s changed is detected, with the row', async (_what, changed, printed) => {
    const { code, output } = await verifyChanged(changed)
    for (const text of printed) expect(output).toContain(text)
    expect(output).toContain('The ledger is not valid')
    expect(code).toBe(1)
  })

  test.each([
    ['an entry', without('entry', 1), ['the-file-is-whole: entries', 'a-seal-fits-its-entries: seal 1']],
    ['a seal', without('seal', 0), ['the-file-is-whole: seals', 'seals-are-numbered-without-a-gap']],
    ['an account', without('account', 1), ['the-file-is-whole: accounts', 'posted-is-the-sum-of-entries']],
    ['the end', (all: Line[]) => all.slice(0, -1), ['the-file-is-whole: end']],
  ])('with %s missing is detected', async (_what, changed, printed) => {
    const { code, output } = await verifyChanged(changed)
    for (const text of printed) expect(output).toContain(text)
    expect(code).toBe(1)
  })

  test('with an entry inserted among the sealed ones or after them is detected', async () => {
    const entries = ofType('entry')
    const among = await verifyChanged(all =>
      all.flatMap(line => (line === entries[1] ? [line, { ...line }] : [line])),
    )
    expect(among.output).toContain('entries-are-in-order: entry 2')
    expect(among.code).toBe(1)
    const behind = await verifyChanged(all => [
      ...all.slice(0, -1),
      { ...entries[0], type: 'entry' },
      ...all.slice(-1),
    ])
    expect(behind.output).toContain('entries-are-in-order: entry 1')
    expect(behind.code).toBe(1)
  })

  test('is compared with seals that were stored elsewhere', async () => {
    const [first] = ofType('seal')
    const anchor = (hash: unknown, number: unknown = first?.number) => ['--anchor', `${number}:${hash}`]
    expect((await verify(file, ...anchor(first?.hash))).code).toBe(0)
    const other = await verify(file, ...anchor(`0x${'ab'.repeat(32)}`))
    expect(other.output).toContain('a-seal-is-the-one-that-was-kept: seal 1')
    expect(other.code).toBe(1)
    const gone = await verify(file, ...anchor(first?.hash, 1_000))
    expect(gone.output).toContain('a-seal-is-the-one-that-was-kept: seal 1000')
    expect(gone.code).toBe(1)
  })

  test('is rejected if it is not such a file', async () => {
    for (const args of [[], [join(directory, 'nowhere')], [file, '--anchor', 'x']]) {
      const { code, output } = await runProgram('apps/gateway/src/bin/verify-ledger.ts', args)
      expect(output).toContain('could not be checked')
      expect(code).toBe(2)
    }
    expect((await runProgram('apps/gateway/src/bin/export-ledger.ts', [], testEnvironment(on))).code).toBe(2)
  })

  test('needs bounded memory for any number of entries', async () => {
    await on.sql(
      `insert into entries (kind, reference, account, amount)
       select 'adjust', 'one_of_many_' || i / 2, 'fees', case i % 2 when 0 then 1 else -1 end
       from generate_series(1, $1 + 1) as i where i > 1`,
      [MANY],
    )
    const large = join(directory, 'large.ndjson')
    const small = { NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` }
    const exported = await runProgram('apps/gateway/src/bin/export-ledger.ts', [large], {
      ...testEnvironment(on),
      ...small,
    })
    expect(exported.output).toContain(`${MANY + 8} entries`)
    expect(exported.code).toBe(0)
    const { code, output } = await runProgram('apps/gateway/src/bin/verify-ledger.ts', [large], small)
    expect(output).toContain('The ledger is valid')
    expect(code).toBe(0)
  }, 120_000)
})
