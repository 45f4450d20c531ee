import sql from 'sql-template-tag'
import type { Queryable } from '../../ports.ts'
import { FINDINGS_PER_CHECK_MAX, type Finding } from './reconcile-store.ts'

/** How the chain and the books can disagree. */
export type ChainFindingKind =
  /** The vault paid a ticket that no withdrawal explains. Subject: `txHash:logIndex`. */
  | 'unexplained-redemption'
  /** A credited deposit is no longer on the chain. Subject: `txHash:logIndex`. */
  | 'deposit-reorganised'
  /** The vault counts more deposits than were read from it. Subject: the vault. */
  | 'deposit-count'
  /** The vault's signer is not the one that this gateway signs with. Subject: the vault. */
  | 'ticket-signer'
  /** The database was restored or failed over, and has not been confirmed since. Subject: the timeline. */
  | 'database-restored'

/** A disagreement between the chain and the books, as it is stored; see the migration. */
export type ChainFinding = {
  readonly id: bigint
  readonly kind: ChainFindingKind
  readonly subject: string
  readonly detail: Readonly<Record<string, string>>
  readonly foundAt: Date
}

/**
 * Records a disagreement, once as long as it is open. From the commit on, no ticket is issued.
 *
 * @returns whether it was not open before
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
 * Ends a disagreement.
 *
 * @param end.resolution `gone`, or the act that ended it
 * @returns whether it was open
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
    select id, kind, subject, detail, found_at as "foundAt" from chain_findings
    where resolved_at is null order by id limit ${limit}`)
}

/** Returns the open disagreements as findings of a check of the books. */
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
