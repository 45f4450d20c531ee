import { GatewayError } from '@farebox/client/errors'
import { type Manifest, readAt } from './manifest.ts'

/** A validation issue; `path` is dotted. */
export type Issue = { readonly path: string; readonly message: string }

/** Maps the gateway's error to paths of the manifest; empty if it is about something else. */
export function issuesOf(error: unknown, manifest: Manifest): readonly Issue[] {
  if (!(error instanceof GatewayError)) return []
  const { issues, url } = error.detail
  if (Array.isArray(issues))
    return (issues as { path?: unknown; message?: unknown }[]).map(({ path, message }) => ({
      path: pathOf(path),
      message: String(message),
    }))
  if (error.code === 'DUPLICATE_SERVICE_ID')
    return [{ path: 'agentToolName', message: 'This name is taken. Choose another.' }]
  if (error.code === 'UNSAFE_TARGET_URL') return [{ path: targetOf(manifest, url), message: error.message }]
  return []
}

const pathOf = (path: unknown) =>
  String(Array.isArray(path) ? path.join('.') : (path ?? ''))
    .replaceAll('/', '.')
    .replace(/^\./, '')

/** Returns the path of the target that an error names, or of the first. */
function targetOf(manifest: Manifest, url: unknown): string {
  const targets = readAt(manifest, 'invoke.targets')
  const index = Array.isArray(targets) ? targets.findIndex(target => readAt(target, 'url') === url) : 0
  return `invoke.targets.${Math.max(0, index)}.url`
}
