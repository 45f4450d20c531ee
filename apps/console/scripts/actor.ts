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
