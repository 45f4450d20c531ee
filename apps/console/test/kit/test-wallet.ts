import type { BrowserContext } from 'playwright-core'
import { type Address, createWalletClient, type Hex, hexToBigInt, http, numberToHex, parseEther } from 'viem'
import type { TestChain } from '../../../gateway/test/kit/chain/test-chain.ts'
import type { newWallet } from '../../../gateway/test/kit/world/wallets.ts'

const ICON = "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 1 1'/>"

/** What a test tells the wallet of a browser to do, and what the wallet has done. */
export type TestWallet = {
  readonly address: Address
  /** From now on it declines what it is asked, as people do (4001), or does it again. */
  decline(isDeclining: boolean): void
  /** The network it is on; it tells the page. It can be asked to switch to ours, unless it declines. */
  goToChain(chainId: number): Promise<void>
  /** From now on it answers no question about the chain, as a wallet whose own node is away, or does it again. */
  loseChain(isLost: boolean): void
  /** Methods that it was asked for, other than plain reads. */
  readonly asked: readonly string[]
}

type Asked = { method: string; params?: readonly unknown[] }
type Answered = { result: unknown } | { error: { code: number; message: string } }

/**
 * Gives every page of a browser context a wallet: it announces itself as wallets do (EIP-6963), signs with the key of
 * `account`, and sends transactions to the chain. It has ether, and no USDC unless the test gives it some.
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

/** Gives an account ether, and answers what takes its key: texts, typed data, transactions. */
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

/** What runs in the page: a provider that hands every request over. */
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
