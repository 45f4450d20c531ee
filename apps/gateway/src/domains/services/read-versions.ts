import { bigints, texts } from '../../columns.ts'
import type { Tx } from '../../ports.ts'
import type { WritePart } from '../../write-part.ts'

/**
 * Versions of services as they are inside a transaction. A service that cannot be called (deactivated, deleted,
 * suspended, or its owner is) is absent. One statement, kept by the server: it is part of every hold.
 */
export async function readServiceVersions(tx: Tx, ids: readonly string[]): Promise<Map<string, bigint>> {
  if (ids.length === 0) return new Map()
  const rows = await tx.query<{ id: string; version: bigint }>({
    name: 'services_read_versions',
    text: `select s.id, s.version from services s join wallets w on w.address = s.owner
           where s.id = any($1::text[]) and s.is_active and s.deleted_at is null and s.suspended_at is null
             and w.suspended_at is null`,
    values: [ids],
  })
  return new Map(rows.map(row => [row.id, row.version]))
}

/** The check that each of these services is at its version still, and can be called. */
export function versionChecks(versions: ReadonlyMap<string, bigint>): WritePart[] {
  if (versions.size === 0) return []
  const rows = [...versions]
  return [
    {
      name: 'versions',
      writes: '',
      checks: [
        [
          'services',
          `select count(*) from unnest($1::text[], $2::bigint[]) as n (id, version)
             join services s on s.id = n.id and s.version = n.version
             join wallets w on w.address = s.owner
             where s.is_active and s.deleted_at is null and s.suspended_at is null and w.suspended_at is null`,
        ],
      ],
      decided: [rows.length],
      values: [texts(rows, ([id]) => id), bigints(rows, ([, version]) => version)],
    },
  ]
}
