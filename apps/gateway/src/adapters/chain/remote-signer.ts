import { ticketTypedData } from '@farebox/vault'
import {
  createClient,
  getTypesForEIP712Domain,
  http,
  recoverTypedDataAddress,
  serializeTypedData,
} from 'viem'
import type { VaultPlace } from '../../ports.ts'
import { lowerCase } from './chain-events.ts'
import { describeNodeError, unavailable } from './chain-rpc.ts'
import type { TicketKey } from './chain-signer.ts'

/** Maximum wait for one signature, in ms. Withdrawals wait for review after it. */
const SIGN_TIMEOUT_MS = 4_000

/** An account of a JSON-RPC endpoint that signs typed data. */
export type RemoteSigner = { readonly url: string; readonly address: string }

type SignTypedData = {
  Method: 'eth_signTypedData_v4'
  Parameters: [address: string, typedData: string]
  ReturnType: unknown
}

/**
 * Returns a key that is kept elsewhere: each signature is one request, whose answer is believed only if the account has
 * signed exactly this ticket. No retry. `sign` throws GatewayError UNAVAILABLE if the endpoint is unreachable, refuses, or
 * signs by another key.
 *
 * @param timeout of one signature, in ms
 */
export function createRemoteKey(
  { url, address }: RemoteSigner,
  facts: VaultPlace,
  timeout = SIGN_TIMEOUT_MS,
): TicketKey {
  const account = lowerCase(address)
  const client = createClient({ transport: http(url, { timeout, retryCount: 0 }) })
  return {
    address: account,
    isRemote: true,
    async sign(ticket) {
      const typed = ticketTypedData(facts, ticket)
      // Part of the message, unlike in viem's own signatures.
      const types = { EIP712Domain: getTypesForEIP712Domain(typed), ...typed.types }
      try {
        const signature = await client.request<SignTypedData>({
          method: 'eth_signTypedData_v4',
          params: [account, serializeTypedData<Record<string, unknown>, string>({ ...typed, types })],
        })
        if (typeof signature !== 'string' || !/^0x[0-9a-f]{130}$/i.test(signature))
          throw new Error('it returned no signature of 65 bytes')
        const signed = signature as `0x${string}`
        const signer = await recoverTypedDataAddress({ ...typed, signature: signed })
        if (lowerCase(signer) !== account) throw new Error(`it signed as ${signer}, not as ${account}`)
        return signed
      } catch (error) {
        throw unavailable(new Error(`TICKET_SIGNER_URL: ${describeNodeError(error)}`))
      }
    },
  }
}
