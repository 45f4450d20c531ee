import { useMemo } from 'react'
import { useConsoleConfig } from './console-config.ts'
import { useCredential } from './session/credential-store.ts'
import type { Snippet } from './ui/code-block.tsx'
import { type Service, snippetsOf, walletSnippet, withToken } from './ui/services/service-snippets.ts'

/**
 * Returns code that calls a service, with the credential of this tab if there is one, and code of a wallet that pays
 * for it without an account where that is possible.
 */
export function useSnippets(service: Service, args?: Readonly<Record<string, unknown>>): Snippet[] {
  const config = useConsoleConfig()
  const token = useCredential()?.token
  return useMemo(() => {
    const { origin } = window.location
    const code = snippetsOf(service, origin, args)
    const snippets = token === undefined ? code : code.map(each => withToken(each, token))
    return config?.hasX402 ? [...snippets, walletSnippet(service, origin, config.usdc, args)] : snippets
  }, [service, args, config, token])
}
