import { createServer } from 'node:http'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { listen } from '../network/loopback.ts'

/** How an external signer answers. */
export type SignerMood =
  | 'signs'
  | 'signs by another key'
  | 'signs another ticket'
  | 'refuses'
  | 'hangs'
  | 'is down'

/** A JSON-RPC server that signs typed data, as the signers of companies do. */
export type ExternalSigner = {
  readonly url: string
  mood: SignerMood
  /** The methods and accounts that were asked for. */
  readonly asked: (readonly [method: string, account: string])[]
  stop(): Promise<void>
}

/** Starts a signer with one key on the loopback. */
export async function startExternalSigner(key: Hex, otherKey: Hex): Promise<ExternalSigner> {
  const account = privateKeyToAccount(key)
  const asked: [string, string][] = []
  const server = createServer(async (request, response) => {
    if (signer.mood === 'hangs') return
    if (signer.mood === 'is down') return request.socket.destroy()
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk
    const { id, method, params } = JSON.parse(text) as {
      id: number
      method: string
      params: [string, string]
    }
    asked.push([method, params[0]])
    const typed = JSON.parse(params[1]) as Parameters<typeof account.signTypedData>[0]
    if (signer.mood === 'signs another ticket') Object.assign(typed.message, { amount: '1' })
    const by = signer.mood === 'signs by another key' ? privateKeyToAccount(otherKey) : account
    const answer =
      signer.mood === 'refuses'
        ? { error: { code: 4001, message: 'The policy refuses it.' } }
        : { result: await by.signTypedData(typed) }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
  })
  const { origin, stop } = await listen(server)
  const signer: ExternalSigner = { url: `${origin}/secret-path`, mood: 'signs', asked, stop }
  return signer
}
