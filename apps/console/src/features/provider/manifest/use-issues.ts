import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useMemo } from 'react'
import { loadCode } from '../../../ui/state/reachability.ts'
import type { Manifest } from './manifest.ts'
import type { Issue } from './manifest-issues.ts'

/**
 * Returns what a draft lacks by the gateway's schema, or undefined while the schema loads. It is large, and a form is drawn
 * without it.
 *
 * @param isWanted whether to load the schema
 */
export function useIssues(manifest: Manifest, isWanted = true): readonly Issue[] | undefined {
  const { data: find } = useQuery({
    queryKey: ['code', 'find-issues'],
    queryFn: async () => (await loadCode(() => import('./find-issues.ts'))).findIssues,
    enabled: isWanted,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    throwOnError: true,
  })
  // Defers the first issues to a render of their own: in one task with the schema's code they would block the browser.
  const finder = useDeferredValue(find)
  return useMemo(() => finder?.(manifest), [finder, manifest])
}
