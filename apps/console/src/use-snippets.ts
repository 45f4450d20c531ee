import { useMemo } from 'react'
import { useConsoleConfig } from './console-config.ts'
import type { Snippet } from './ui/code-block.tsx'
import { type Service, snippetsOf, walletSnippet } from './ui/services/service-snippets.ts'

/** Returns code that calls a service, and code of a wallet that pays for it without an account where that is possible. */
export function useSnippets(service: Service, args?: Readonly<Record<string, unknown>>): Snippet[] {
  const config = useConsoleConfig()
  return useMemo(() => {
    const { origin } = window.location
    const snippets = snippetsOf(service, origin, args)
    return config?.hasX402 ? [...snippets, walletSnippet(service, origin, config.usdc, args)] : snippets
  }, [service, args, config])
}
