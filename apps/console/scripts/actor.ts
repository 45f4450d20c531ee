import { type Client, createClient } from '@farebox/client'
import { signIn } from '@farebox/client/sign-in'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'

/** A user of the demo data: a key and a signed-in client. */
export type Actor = {
  readonly key: `0x${string}`
  readonly address: `0x${string}`
  readonly token: string
  readonly api: Client
}

const adminKey = generatePrivateKey()
/** The admin among {@link actorsOf}; the gateway must be started with it. */
export const ADMIN = privateKeyToAccount(adminKey)

/** Creates a wallet with test money and signs it in. */
export async function arrive(url: string, key = generatePrivateKey()): Promise<Actor> {
  const account = privateKeyToAccount(key)
  const { address } = account
  const given = await fetch(`${url}/dev/faucet`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ address, amountUsdc: '1000' }),
  })
  if (!given.ok) throw new Error(`The faucet gave nothing: ${await given.text()}`)
  const { token } = await signIn(createClient({ baseUrl: url }), account)
  return { key, address, token, api: createClient({ baseUrl: url, token: () => token }) }
}

/** Returns those who look at the pages: of the demo data, the admin, and a wallet that has done nothing yet. */
export async function actorsOf(
  url: string,
  demoData: { readonly owner: Actor; readonly provider: Actor },
): Promise<Record<'owner' | 'provider' | 'admin' | 'newcomer', Actor>> {
  const { owner, provider } = demoData
  return { owner, provider, admin: await arrive(url, adminKey), newcomer: await arrive(url) }
}

/** Returns a script that stores a session and the key of the development wallet as the console does. */
export function signedIn({ address, token, key }: Actor): string {
  const session = JSON.stringify({ address, token, expiresAt: Date.now() + 3_600_000 })
  return `localStorage.setItem('farebox.session', ${JSON.stringify(session)})
localStorage.setItem('farebox.development-wallet', '${key}')`
}
