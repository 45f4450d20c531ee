import {
  type AccountLine,
  type EntryLine,
  type LedgerCounts,
  type LedgerLine,
  readLine,
  type SealLine,
} from './ledger-file-rules.ts'
import { bytesOf, createRootMaker, hexOf, leafHash } from './merkle-rules.ts'
import { entryText, faultsOfSeal, NO_SEAL, type Seal, type SealBefore } from './seal-rules.ts'

/** Maximum number of listed faults; further ones are only counted. */
const FAULTS_SHOWN_MAX = 20

/** A fault of an exported ledger: the rule and the row that breaks it. */
export type Fault = {
  readonly check: string
  readonly row: string
  readonly expected: string
  readonly found: string
}

/** Result of an audit. Amounts in micro-USDC. */
export type Verdict = LedgerCounts & {
  readonly exportedAt: string | null
  /** The first faults. */
  readonly faults: readonly Fault[]
  readonly faultCount: number
  /** Entries after the last seal. */
  readonly unsealed: number
  readonly lastSeal: { readonly number: bigint; readonly hash: string } | null
  /** Balances of wallets, vault and platform. */
  readonly totals: { readonly wallets: bigint; readonly vault: bigint; readonly platform: bigint }
}

/**
 * Audits an exported ledger line by line: the entries of every movement, and of all, add up to zero and explain every
 * balance; each seal covers the entries present and contains the hash of the previous one. Keeps accounts and
 * unfinished movements in memory, but no entries.
 *
 * @param anchors hashes of seals kept elsewhere, by number
 */
export function createAudit(anchors: ReadonlyMap<bigint, string> = new Map()) {
  const faults: Fault[] = []
  let faultCount = 0
  const note = (check: string, row: string, [expected, found]: readonly [string, string]): void => {
    faultCount += 1
    if (faults.length < FAULTS_SHOWN_MAX) faults.push({ check, row, expected, found })
  }
  const books = auditBooks(note)
  const chain = auditSeals(note, anchors)
  let exportedAt: string | null = null
  let last: LedgerLine['type'] | null = null
  const take = {
    ledger: (line: LedgerLine & { type: 'ledger' }) => {
      exportedAt = line.exportedAt
    },
    account: books.account,
    entry(line: EntryLine) {
      books.entry(line)
      chain.entry(line)
    },
    seal: chain.seal,
    end(line: LedgerLine & { type: 'end' }) {
      for (const [name, count] of Object.entries({ ...books.counts(), seals: chain.count() })) {
        const reported = line[name as keyof LedgerCounts]
        if (reported !== count) note('the-file-is-whole', name, [String(reported), String(count)])
      }
    },
  }

  return {
    /** Reads the next line; `number` starts at 1. */
    take(text: string, number: number): void {
      const line = readLine(text)
      if (line === null) {
        note('a-line-can-be-read', `line ${number}`, ['a line of a ledger', text.slice(0, 80)])
        return
      }
      if ((line.type === 'ledger') !== (number === 1) || last === 'end')
        note('the-file-is-whole', `line ${number}`, ['one head, then lines, then one end', line.type])
      last = line.type
      const act = take[line.type] as (line: LedgerLine) => void
      act(line)
    },
    verdict(): Verdict {
      if (last !== 'end') note('the-file-is-whole', 'end', ['a line that says how many there are', 'none'])
      chain.end()
      return { exportedAt, ...books.end(), seals: chain.count(), ...chain.reported(), faults, faultCount }
    },
  }
}

type Note = (check: string, row: string, reported: readonly [expected: string, found: string]) => void

/** Sums by movement, by account and in total. */
function auditBooks(note: Note) {
  const unexplained = new Map<string, bigint>()
  const open = new Map<string, bigint>()
  const totals = { wallets: 0n, vault: 0n, platform: 0n }
  let [accounts, entries, sum] = [0, 0, 0n]
  const add = (map: Map<string, bigint>, key: string, amount: bigint): void => {
    const after = (map.get(key) ?? 0n) + amount
    if (after === 0n) map.delete(key)
    else map.set(key, after)
  }
  return {
    account({ id, posted, reserved }: AccountLine): void {
      accounts += 1
      const [has, setAside] = [BigInt(posted), BigInt(reserved)]
      add(unexplained, id, has)
      if (id.includes(':') && (setAside < 0n || has < setAside))
        note('wallets-are-not-overdrawn', id, [`at least ${setAside}`, `${has}`])
      totals[id.includes(':') ? 'wallets' : id === 'vault' ? 'vault' : 'platform'] += has
    },
    entry({ kind, reference, account, amount }: EntryLine): void {
      entries += 1
      const moved = BigInt(amount)
      sum += moved
      add(unexplained, account, -moved)
      add(open, `${kind} ${reference}`, moved)
    },
    counts: () => ({ accounts, entries }),
    end() {
      if (sum !== 0n) note('all-entries-add-up-to-zero', 'all entries', ['0', `${sum}`])
      for (const [row, left] of open) note('entries-of-a-movement-add-up-to-zero', row, ['0', `${left}`])
      for (const [row, left] of unexplained)
        note('posted-is-the-sum-of-entries', row, ['nothing unexplained', `${left} that no entry explains`])
      return { accounts, entries, totals }
    },
  }
}

/** Checks seals over the entries read, and the order of entries. */
function auditSeals(note: Note, anchors: ReadonlyMap<bigint, string>) {
  let before: SealBefore = NO_SEAL
  let root = createRootMaker()
  let [seals, unsealed] = [0, 0]
  let lastId: bigint | null = null
  const missing = new Set(anchors.keys())
  return {
    entry(line: EntryLine): void {
      const id = BigInt(line.id)
      if (id <= before.lastEntry || (lastId !== null && id <= lastId)) {
        const least = lastId !== null && lastId > before.lastEntry ? lastId : before.lastEntry
        note('entries-are-in-order', `entry ${id}`, [`above ${least}`, `${id}`])
      }
      lastId = id
      unsealed += 1
      root.add(leafHash(entryText(line)))
    },
    seal(line: SealLine): void {
      const seal = readSeal(line)
      const row = `seal ${seal.number}, entries ${before.lastEntry + 1n} to ${seal.lastEntry}`
      for (const { check, expected, found } of faultsOfSeal(seal, before, {
        entries: unsealed,
        root: root.root(),
      })) {
        note(check, row, [expected, found])
      }
      const anchor = anchors.get(seal.number)
      if (anchor !== undefined && anchor !== hexOf(seal.hash))
        note('a-seal-is-the-one-that-was-kept', row, [anchor, hexOf(seal.hash)])
      missing.delete(seal.number)
      seals += 1
      unsealed = 0
      root = createRootMaker()
      before = seal
    },
    end(): void {
      for (const number of missing)
        note('a-seal-is-the-one-that-was-kept', `seal ${number}`, [anchors.get(number) ?? '', 'missing'])
    },
    count: () => seals,
    reported: () => ({
      unsealed,
      lastSeal: seals === 0 ? null : { number: before.number, hash: hexOf(before.hash) },
    }),
  }
}

function readSeal(line: SealLine): Seal {
  const { number, afterEntry, lastEntry, entries, root, previous, hash, sealedAt, heads } = line
  return {
    number: BigInt(number),
    afterEntry: BigInt(afterEntry),
    lastEntry: BigInt(lastEntry),
    entries,
    root: bytesOf(root),
    previous: bytesOf(previous),
    hash: bytesOf(hash),
    sealedAt: new Date(sealedAt),
    heads: heads ?? null,
  }
}
