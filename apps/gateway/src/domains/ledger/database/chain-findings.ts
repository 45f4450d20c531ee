import { CHAIN_FINDING_KINDS } from '@farebox/wire/admin'
import sql, { empty, type Sql } from 'sql-template-tag'
import type { Queryable, Tx } from '../../../ports.ts'
import { FINDINGS_PER_CHECK_MAX, type Finding } from '../reconcile/reconcile-store.ts'

/** Kind of a disagreement between the chain and the books; see {@link CHAIN_FINDING_KINDS}. */
export type ChainFindingKind = (typeof CHAIN_FINDING_KINDS)[number]

/** A stored disagreement between the chain and the books. */
export type ChainFinding = {
  readonly id: bigint
  readonly kind: ChainFindingKind
  readonly subject: string
  readonly detail: Readonly<Record<string, string>>
  readonly foundAt: Date
}

/** A disagreement with its resolution; null while it is open. */
export type SettledChainFinding = ChainFinding & {
  readonly resolvedAt: Date | null
  readonly resolution: string | null
}

const columns = sql`id, kind, subject, detail, found_at`

/**
 * Records a disagreement unless the same one is open. Stops tickets from the commit on.
 *
 * @returns true if it was not open before
 */
export async function raiseChainFinding(
  db: Queryable,
  finding: Pick<ChainFinding, 'kind' | 'subject' | 'detail'>,
): Promise<boolean> {
  const { kind, subject, detail } = finding
  const rows = await db.query(sql`
    insert into chain_findings (kind, subject, detail) values (${kind}, ${subject}, ${JSON.stringify(detail)}::jsonb)
    on conflict (kind, subject) where resolved_at is null do nothing
    returning 1`)
  return rows.length > 0
}

/**
 * Closes a disagreement.
 *
 * @param end.resolution `gone`, or the act that settled it
 * @returns true if it was open
 */
export async function resolveChainFinding(
  db: Queryable,
  end: Pick<ChainFinding, 'kind' | 'subject'> & { readonly resolution: string },
): Promise<boolean> {
  const rows = await db.query(sql`
    update chain_findings set resolved_at = now(), resolution = ${end.resolution}
    where kind = ${end.kind} and subject = ${end.subject} and resolved_at is null
    returning 1`)
  return rows.length > 0
}

/** Returns the open disagreements, oldest first. */
export function listOpenChainFindings(db: Queryable, limit: number): Promise<ChainFinding[]> {
  return db.query<ChainFinding>(sql`
    select ${columns} from chain_findings
    where resolved_at is null order by id limit ${limit}`)
}

/** Returns the open disagreements as findings of a reconciliation. */
export async function openFindings(db: Queryable): Promise<Finding[]> {
  const open = await listOpenChainFindings(db, FINDINGS_PER_CHECK_MAX)
  return open.map(({ kind, subject, detail }) => ({
    check: kind,
    row: subject,
    expected: 'the chain and the books agree',
    found: Object.entries(detail)
      .map(([name, value]) => `${name} ${value}`)
      .join(', '),
  }))
}

/** Returns a disagreement, open or closed, or undefined. */
export function findChainFinding(db: Queryable, id: bigint): Promise<SettledChainFinding | undefined> {
  return readChainFinding(db, id, empty)
}

/** Locks a disagreement and returns it. Accounts must be locked before it. */
export function lockChainFinding(tx: Tx, id: bigint): Promise<SettledChainFinding | undefined> {
  return readChainFinding(tx, id, sql`for update`)
}

async function readChainFinding(db: Queryable, id: bigint, lock: Sql) {
  const [row] = await db.query<SettledChainFinding>(sql`
    select ${columns}, resolved_at, resolution from chain_findings where id = ${id} ${lock}`)
  return row
}

/** Returns the number of open disagreements by kind. */
export async function countChainFindings(db: Queryable): Promise<Record<ChainFindingKind, number>> {
  const rows = await db.query<{ kind: ChainFindingKind; count: number }>(sql`
    select kind, count(*)::int as count from chain_findings where resolved_at is null group by kind`)
  const counts = new Map(rows.map(({ kind, count }) => [kind, count]))
  const all = CHAIN_FINDING_KINDS.map(kind => [kind, counts.get(kind) ?? 0] as const)
  return Object.fromEntries(all) as Record<ChainFindingKind, number>
}
