import { createConnector } from '@wagmi/core'
import type { EIP1193Provider } from 'viem'
import type { ConsoleConfig } from '../console-config.ts'
import type { Pairing, Phone } from './phone.ts'

/** Id of the connector and of its choice in the dialog. */
export const PHONE = 'walletConnect'

/** The wagmi connector of a wallet on a phone. The large client is loaded when it is first used. */
export function phoneConnector(facts: ConsoleConfig, connection: { projectId: string; relayUrl: string }) {
  let opening: Promise<Phone> | undefined
  return createConnector(({ chains, emitter }) => {
    async function open(): Promise<Phone> {
      const { openPhone } = await import('./phone.ts')
      const phone = await openPhone(facts, connection)
      phone.watch(change => {
        if (change === 'gone') emitter.emit('disconnect')
        else emitter.emit('change', { accounts: phone.accounts(), chainId: phone.chainId() })
      })
      return phone
    }
    /** Opens the client once, and again after a failure. */
    function phone(): Promise<Phone> {
      opening ??= open().catch(error => {
        opening = undefined
        throw error
      })
      return opening
    }
    return {
      id: PHONE,
      name: 'WalletConnect',
      type: PHONE,
      /** @param parameters includes the {@link Pairing}; without it only a phone that is already paired connects */
      async connect(parameters: object = {}) {
        const its = await phone()
        if (its.accounts().length === 0) await its.pair(parameters as Pairing)
        return { accounts: its.accounts() as readonly never[], chainId: its.chainId() }
      },
      disconnect: async () => (await phone()).leave(),
      getAccounts: async () => (await phone()).accounts(),
      getChainId: async () => (await phone()).chainId(),
      getProvider: async () => (await phone()) as unknown as EIP1193Provider,
      isAuthorized: async () => (await phone()).accounts().length > 0,
      async switchChain({ chainId }) {
        const chain = chains.find(({ id }) => id === chainId) ?? chains[0]
        await (await phone()).switchTo(chain)
        return chain
      },
      // The phone's own events are used instead, above.
      onAccountsChanged: () => undefined,
      onChainChanged: () => undefined,
      onDisconnect: () => undefined,
    }
  })
}
