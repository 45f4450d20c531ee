import { usdc } from '@farebox/money'
import { isUnavailable } from '@farebox/wire/errors'
import { ledgerPartitionOf } from '@farebox/wire/partition'
import type { Fixture } from './callers.ts'
import type { Database, Session } from './database.ts'
import { credentialsOf, digestOf } from './market.ts'
import { enter } from './project.ts'

const ALL_NULL = { held: null, awaited: null, ended: null, credentials: null, policies: null, accounts: null }

/** Appends that rows of an owner were written, like ledger_record of the migrations. The partition is locked. */
function record(
  database: Database,
  session: Session,
  change: { table: string; owner: string; row: object },
): void {
  const number = ledgerPartitionOf(change.owner)
  const partition = database.tables.partitions[number]
  if (partition === undefined) throw new RangeError(`There is no partition ${number}.`)
  const changed = JSON.stringify(change, (_, value) => (typeof value === 'bigint' ? value.toString() : value))
  const row = { ...ALL_NULL, partition: number, seq: partition.head + 1, writer: 'transaction 1', changed }
  database.append(session, row, { previous: partition.hash, isProjected: true })
}

/** Writes rows of an owner, like other parts of a gateway, or an operator. */
export async function changeOwner(fixture: Fixture): Promise<void> {
  const { database, chance, market, records, say } = fixture
  const owner = chance.pick(market.owners)
  fixture.nextId += 1
  const reference = `dep-${fixture.nextId}`
  const kind = chance.pick(['deposit', 'deposit', 'limit', 'policy', 'suspend', 'resume', 'revoke', 'rotate'])
  let session: Session | null = null
  try {
    session = database.begin()
    await database.lockAndProject(session, [ledgerPartitionOf(owner)])
    const deposit =
      kind === 'deposit' ? { amount: BigInt(50 + chance.below(400)), isAcknowledged: false } : null
    if (deposit !== null) records.deposits.set(reference, deposit)
    write(fixture, session, { owner, kind, reference })
    if (chance.is(0.1)) {
      say(`a transaction about ${owner} is rolled back: ${kind}`)
      return database.rollback(session)
    }
    await database.commit(session)
    if (deposit !== null) deposit.isAcknowledged = true
    if (kind === 'rotate') rotated(fixture, owner)
    say(`${kind} of ${owner} is committed`)
  } catch (error) {
    if (session !== null) database.rollback(session)
    if (!isUnavailable(error)) throw error
    if (kind === 'rotate') findRotation(fixture, owner)
  }
}

/** The caller uses the new token once it has it; the previous one is valid for an hour. */
function rotated({ records }: Fixture, owner: string): void {
  const [id] = credentialsOf(owner)
  records.rotations.set(id, (records.rotations.get(id) ?? 0) + 1)
}

/** True if a rotation with a lost answer was committed. */
function findRotation(fixture: Fixture, owner: string): void {
  const [id] = credentialsOf(owner)
  const next = digestOf(id, (fixture.records.rotations.get(id) ?? 0) + 1)
  if (fixture.database.tables.credentials.get(id)?.tokenHash.equals(next)) rotated(fixture, owner)
}

const HOUR_MS = 3_600_000

function write(
  { database, chance, records }: Fixture,
  session: Session,
  { owner, kind, reference }: { owner: string; kind: string; reference: string },
): void {
  const { tables } = database
  const { writes } = session
  const account = tables.accounts.get(`consumer:${owner}`)
  const policy = tables.policies.get(owner)
  const [id] = credentialsOf(owner)
  const credential = tables.credentials.get(id)
  const deposit = records.deposits.get(reference)
  if (account === undefined || policy === undefined || credential === undefined) throw new Error('no rows')
  const put = <Row extends object>(table: Map<string, Row>, key: string, row: Row, name: string) => {
    writes.set(table, key, row)
    record(database, session, { table: name, owner, row })
  }
  if (kind === 'deposit' && deposit !== undefined) {
    const { amount } = deposit
    const row = { ...account, posted: usdc(account.posted + amount) }
    enter(tables, { kind, reference, account: `consumer:${owner}`, amount }, writes)
    enter(tables, { kind, reference, account: 'vault', amount: -amount }, writes)
    put(tables.accounts, `consumer:${owner}`, row, 'accounts')
  } else if (kind === 'limit') {
    const creditLimit = chance.is(0.2) ? null : BigInt(100 + chance.below(600))
    const maxCalls = chance.is(0.5) ? null : BigInt(1 + chance.below(8))
    put(tables.credentials, id, { ...credential, creditLimit, maxCalls }, 'credentials')
  } else if (kind === 'policy') {
    const dailyLimit = chance.is(0.3) ? null : BigInt(100 + chance.below(600))
    put(tables.policies, owner, { ...policy, dailyLimit }, 'spending_policies')
  } else if (kind === 'suspend' || kind === 'resume') {
    put(tables.policies, owner, { ...policy, isSuspended: kind === 'suspend' }, 'spending_policies')
  } else if (kind === 'revoke') {
    const status = chance.is(0.3) ? ('revoked' as const) : ('active' as const)
    put(tables.credentials, id, { ...credential, status }, 'credentials')
  } else {
    const rotation = (records.rotations.get(id) ?? 0) + 1
    const previous = {
      previousTokenHash: credential.tokenHash,
      previousExpiresAt: new Date(database.now() + HOUR_MS),
    }
    put(
      tables.credentials,
      id,
      { ...credential, ...previous, tokenHash: digestOf(id, rotation) },
      'credentials',
    )
  }
}
