/** Chain, vault and token of a database. Addresses are lower-case; `token` is null if unknown. */
export type VaultBinding = {
  readonly chainId: number
  readonly vault: string
  readonly token: string | null
}

/** Returns the binding for the chain, vault and token found on a chain. */
export function bindingOf(found: { chainId: number; vault: string; usdc: string }): VaultBinding {
  return { chainId: found.chainId, vault: found.vault, token: found.usdc }
}

/** Returns a message about the setting that differs from the stored binding; null if all agree. */
export function findOther(stored: VaultBinding, found: VaultBinding): string | null {
  const home = `this database belongs to the vault ${stored.vault} on chain ${stored.chainId}`
  if (found.chainId !== stored.chainId)
    return `CHAIN_RPC_URL is an endpoint of chain ${found.chainId}, but ${home}.`
  if (found.vault !== stored.vault) return `VAULT_ADDRESS is ${found.vault}, but ${home}.`
  if (stored.token !== null && found.token !== stored.token)
    return `VAULT_ADDRESS ${found.vault} uses the token ${found.token}, but ${home}, which used ${stored.token}.`
  return null
}
