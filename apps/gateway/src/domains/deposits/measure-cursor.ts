import sql from 'sql-template-tag'
import type { Deps } from '../../ports.ts'

/** Returns the height up to which any gateway has read the vault; null before the first read. */
export async function measureCursor(deps: Pick<Deps, 'db' | 'chain'>): Promise<bigint | null> {
  const { chainId, vault } = deps.chain.facts
  const [row] = await deps.db.query<{ height: bigint }>(sql`
    select block_number as height from vault_cursors where chain_id = ${chainId} and vault = ${vault}`)
  return row?.height ?? null
}
