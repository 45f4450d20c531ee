/** Where the money of a database lives. Addresses are lower-case; `token` is null where it is not known. */
export type VaultBinding = {
  readonly chainId: number
  readonly vault: string
  readonly token: string | null
}

/** Returns where the money lives that a chain shows. */
export function bindingOf(found: { chainId: number; vault: string; usdc: string }): VaultBinding {
  return { chainId: found.chainId, vault: found.vault, token: found.usdc }
}

/** Says which setting leads elsewhere than to the stored chain, vault and token; null when all of them agree. */
export function findOther(stored: VaultBinding, found: VaultBinding): string | null {
  const home = `this database belongs to the vault ${stored.vault} on chain ${stored.chainId}`
  if (found.chainId !== stored.chainId) return `CHAIN_RPC_URL leads to chain ${found.chainId}, but ${home}.`
  if (found.vault !== stored.vault) return `VAULT_ADDRESS is ${found.vault}, but ${home}.`
  if (stored.token !== null && found.token !== stored.token)
    return `VAULT_ADDRESS ${found.vault} holds the token ${found.token}, but ${home}, which held ${stored.token}.`
  return null
}
