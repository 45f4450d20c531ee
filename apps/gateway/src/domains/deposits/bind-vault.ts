import { USDC_DECIMALS } from '@farebox/money'
import sql from 'sql-template-tag'
import { type Config, ConfigError } from '../../config.ts'
import type { ChainFacts, Db, Queryable, Tx } from '../../ports.ts'
import { bindingOf, findOther, type VaultBinding } from './vault-binding.ts'

/** Advisory lock on the vault of this database. */
const BINDING_LOCK = 7_462_025

/**
 * Binds a database to the chain, vault and token whose deposits it credits: stores them at the first start and compares
 * them at each later start. A database that followed a vault before bindings were stored is bound to that vault.
 *
 * In development mode, an unused database (nothing credited or signed) is bound again: a local chain that is killed
 * within its first second may have lost its contracts.
 *
 * @throws ConfigError in one line, naming the setting that differs; then nothing has changed
 */
export async function bindVault(
  db: Db,
  found: ChainFacts,
  config: Pick<Config, 'FAREBOX_MODE' | 'FAREBOX_DATA_DIR'>,
): Promise<void> {
  const isDev = config.FAREBOX_MODE === 'dev'
  await db.transaction(async tx => {
    await tx.query(sql`select pg_advisory_xact_lock(${BINDING_LOCK})`)
    const stored = (await readBinding(tx)) ?? (await readFollowed(tx, found))
    const other = stored && findOther(stored, bindingOf(found))
    if (other !== null && !(isDev && (await isUnused(tx))))
      throw new ConfigError(`${other} ${adviceIn(config)}`)
    await writeBinding(tx, bindingOf(found))
  })
}

function adviceIn(config: Pick<Config, 'FAREBOX_MODE' | 'FAREBOX_DATA_DIR'>): string {
  return config.FAREBOX_MODE === 'dev'
    ? `To start over, delete the data directory ${config.FAREBOX_DATA_DIR}.`
    : 'Nothing was credited or signed. Correct the setting, or move the database (docs/operations.md, "Another chain or vault").'
}

/**
 * Checks that a program other than the gateway uses the vault to which a database is bound. An unbound database passes.
 *
 * @throws ConfigError in one line, naming the setting that differs
 */
export async function assertBound(db: Queryable, found: ChainFacts): Promise<void> {
  const other = await findOtherVault(db, found)
  if (other !== null) throw new ConfigError(other)
}

/** Returns a message about the setting that differs from the binding of a database; null if all agree or it has none. */
export async function findOtherVault(db: Queryable, found: ChainFacts): Promise<string | null> {
  const stored = await readBinding(db)
  return stored && findOther(stored, bindingOf(found))
}

/** Returns the chain, vault and token of a database; null if it was never bound. */
export async function readBinding(db: Queryable): Promise<VaultBinding | null> {
  const [row] = await db.query<{ chainId: bigint; vault: string; token: string }>(
    sql`select chain_id, vault, token from vault_binding`,
  )
  return row === undefined ? null : { ...row, chainId: Number(row.chainId) }
}

/** Binds a database, replacing an earlier binding. */
export async function writeBinding(tx: Tx, to: VaultBinding): Promise<void> {
  await tx.query(sql`
    insert into vault_binding as bound (chain_id, vault, token, token_decimals)
    values (${to.chainId}, ${to.vault}, ${to.token}, ${USDC_DECIMALS})
    on conflict (is_only) do update set chain_id = excluded.chain_id, vault = excluded.vault, token = excluded.token,
      token_decimals = excluded.token_decimals, bound_at = now()
    where (bound.chain_id, bound.vault, bound.token) is distinct from (excluded.chain_id, excluded.vault, excluded.token)`)
}

/**
 * Returns the vault that a database has followed, preferring that of `found` if there are several; null if there is
 * none.
 */
async function readFollowed(tx: Tx, found: ChainFacts): Promise<VaultBinding | null> {
  const { chainId, vault } = found
  const [row] = await tx.query<{ chainId: bigint; vault: string }>(sql`
    select chain_id, vault from vault_cursors
    order by (chain_id, vault) = (${chainId}::bigint, ${vault}::text) desc, lease_until desc limit 1`)
  return row === undefined ? null : { chainId: Number(row.chainId), vault: row.vault, token: null }
}

/** Returns true if a database has credited no deposit and signed no ticket. */
async function isUnused(tx: Tx): Promise<boolean> {
  const [row] = await tx.query<{ unused: boolean }>(sql`
    select not exists (select from vault_deposits)
      and not exists (select from withdrawals where deadline is not null) as unused`)
  return row?.unused === true
}
