import type { BrowserContext } from 'playwright-core'
import { type Address, createWalletClient, type Hex, hexToBigInt, http, numberToHex, parseEther } from 'viem'
import type { TestChain } from '../../../gateway/test/kit/chain/test-chain.ts'
import type { newWallet } from '../../../gateway/test/kit/world/wallets.ts'

const ICON = "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 1 1'/>"

/** Controls the injected wallet of a browser and records its requests. */
export type TestWallet = {
  readonly address: Address
  /** Sets whether requests are declined (4001) from now on. */
  decline(isDeclining: boolean): void
  /** Switches the network and notifies the page. The page may ask to switch back. */
  goToChain(chainId: number): Promise<void>
  /** Sets whether reads of the chain fail, as when the wallet's own node is down. */
  loseChain(isLost: boolean): void
  /** Methods requested so far, except reads. */
  readonly asked: readonly string[]
}

type Asked = { method: string; params?: readonly unknown[] }
type Answered = { result: unknown } | { error: { code: number; message: string } }

/**
 * Injects a wallet into every page of a browser context. It announces itself (EIP-6963), signs with the key of
 * `account` and sends transactions to the chain. It has ether, but no USDC unless the test transfers some.
 */
export async function installTestWallet(
  context: BrowserContext,
  chain: TestChain,
  account: ReturnType<typeof newWallet>,
): Promise<TestWallet> {
  const node = createWalletClient({ account, transport: http(chain.rpcUrl) })
  const sign = await signAs(account, chain)
  const ours = chain.adapter.facts.chainId
  let chainId = ours
  let isDeclining = false
  let isLost = false
  const asked: string[] = []

  async function answer({ method, params = [] }: Asked): Promise<unknown> {
    switch (method) {
      case 'eth_chainId':
        return numberToHex(chainId)
      case 'eth_accounts':
        return [account.address]
    }
    if (isLost && !method.startsWith('wallet_')) throw new Error('The node is away.')
    if (!/^(?:eth_requestAccounts|personal_sign|eth_sign|eth_sendTr|wallet_)/.test(method))
      return node.request({ method, params } as never)
    asked.push(method)
    if (isDeclining) throw new Declined()
    switch (method) {
      case 'eth_requestAccounts':
        return [account.address]
      case 'personal_sign':
      case 'eth_signTypedData_v4':
      case 'eth_sendTransaction':
        return sign(method, params)
      case 'wallet_switchEthereumChain':
      case 'wallet_addEthereumChain':
        await goToChain(Number((params[0] as { chainId: string }).chainId))
        return null
      default:
        return null
    }
  }

  async function goToChain(id: number): Promise<void> {
    chainId = id
    for (const page of context.pages())
      await page.evaluate(`window.testWallet?.emit('chainChanged', '${numberToHex(id)}')`)
  }

  await context.exposeBinding('askTestWallet', async (_, request: Asked): Promise<Answered> => {
    try {
      return { result: await answer(request) }
    } catch (error) {
      const { code, message } = error as { code?: number; message: string }
      return { error: { code: typeof code === 'number' ? code : -32_603, message } }
    }
  })
  await context.addInitScript({ content: announcement(account.address) })
  return {
    address: account.address,
    decline(next) {
      isDeclining = next
    },
    goToChain,
    loseChain(next) {
      isLost = next
    },
    asked,
  }
}

/** Funds an account with ether and answers the requests that need its key: texts, typed data, transactions. */
export async function signAs(account: ReturnType<typeof newWallet>, chain: TestChain) {
  const node = createWalletClient({ account, transport: http(chain.rpcUrl) })
  await chain.client.setBalance({ address: account.address, value: parseEther('10') })
  return async (method: string, params: readonly unknown[]): Promise<Hex> => {
    if (method === 'personal_sign') return account.signMessage({ message: { raw: params[0] as Hex } })
    if (method === 'eth_signTypedData_v4') return account.signTypedData(JSON.parse(params[1] as string))
    if (method !== 'eth_sendTransaction') throw new Error(`${method} takes no key.`)
    const { to, data, value } = params[0] as { to: Address; data?: Hex; value?: Hex }
    return node.sendTransaction({
      chain: null,
      to,
      ...(data !== undefined && { data }),
      ...(value !== undefined && { value: hexToBigInt(value) }),
    })
  }
}

class Declined extends Error {
  readonly code = 4001
  override readonly message = 'User rejected the request.'
}

/** Returns the script for the page: a provider that forwards every request. */
function announcement(address: Address): string {
  return `(() => {
    const listeners = {}
    const provider = {
      async request(request) {
        const answer = await window.askTestWallet({ method: request.method, params: request.params })
        if (answer.error) throw Object.assign(new Error(answer.error.message), { code: answer.error.code })
        return answer.result
      },
      on(name, listener) { (listeners[name] ??= new Set()).add(listener) },
      removeListener(name, listener) { listeners[name]?.delete(listener) },
      emit(name, value) { for (const listener of listeners[name] ?? []) listener(value) },
    }
    window.testWallet = provider
    const info = { uuid: '${address}', name: 'Test wallet', icon: "${ICON}", rdns: 'test.farebox' }
    const announce = () =>
      window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: Object.freeze({ info, provider }) }))
    window.addEventListener('eip6963:requestProvider', announce)
    announce()
  })()`
}
