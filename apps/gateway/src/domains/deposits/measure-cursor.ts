import sql from 'sql-template-tag'
import type { Deps } from '../../ports.ts'

/** Height up to which the vault has been read, by whichever gateway; null before the first reading. */
export async function measureCursor(deps: Pick<Deps, 'db' | 'chain'>): Promise<bigint | null> {
  const { chainId, vault } = deps.chain.facts
  const [row] = await deps.db.query<{ height: bigint }>(sql`
    select block_number as height from vault_cursors where chain_id = ${chainId} and vault = ${vault}`)
  return row?.height ?? null
}
