import {
  createWalletClient,
  type EIP1193Provider,
  type Hex,
  hexToBigInt,
  http,
  isHex,
  numberToHex,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import type { ConsoleConfig } from '../console-config.ts'
import { safeLocalStorage } from '../ui/state/safe-storage.ts'

const KEY = 'farebox.development-wallet'

type Request = { readonly method: string; readonly params?: readonly unknown[] }
type Transaction = { to?: Hex; data?: Hex; value?: Hex; gas?: Hex }

/** Returns the key of this browser's development wallet, created at first use. It is worthless on a real chain. */
function readOrMakeKey(): Hex {
  const kept = safeLocalStorage.getItem(KEY)
  if (isHex(kept)) return kept
  const made = generatePrivateKey()
  safeLocalStorage.setItem(KEY, made)
  return made
}

/** A wallet without an extension, for development mode only: signs everything with a key in the browser's storage. */
export function createDevelopmentWallet({ chainId, rpcUrl }: ConsoleConfig): EIP1193Provider {
  const account = () => privateKeyToAccount(readOrMakeKey())
  const node = createWalletClient({ transport: http(rpcUrl) })

  async function answer({ method, params = [] }: Request): Promise<unknown> {
    switch (method) {
      case 'eth_requestAccounts':
      case 'eth_accounts':
        return [account().address]
      case 'eth_chainId':
        return numberToHex(chainId)
      case 'wallet_requestPermissions':
      case 'wallet_revokePermissions':
        return null
      case 'personal_sign':
        return account().signMessage({ message: { raw: params[0] as Hex } })
      case 'eth_signTypedData_v4':
        return account().signTypedData(JSON.parse(params[1] as string))
      case 'eth_sendTransaction': {
        const { to, data, value, gas } = params[0] as Transaction
        return node.sendTransaction({
          account: account(),
          chain: null,
          to,
          data,
          ...(value !== undefined && { value: hexToBigInt(value) }),
          ...(gas !== undefined && { gas: hexToBigInt(gas) }),
        })
      }
      default:
        return node.request({ method, params } as Parameters<typeof node.request>[0])
    }
  }

  const silent = () => undefined
  return { request: answer, on: silent, removeListener: silent } as unknown as EIP1193Provider
}
