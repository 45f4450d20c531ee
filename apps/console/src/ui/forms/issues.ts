import { GatewayError } from '@farebox/client/errors'

/** Returns the gateway's validation messages by top-level member of the body: `{ email: '…' }`. */
export function issuesOf(error: unknown): Readonly<Record<string, string>> {
  const issues = error instanceof GatewayError ? error.detail.issues : undefined
  if (!Array.isArray(issues)) return {}
  const found: Record<string, string> = {}
  for (const { path, message } of issues as { path?: unknown; message?: unknown }[]) {
    const [first] = String(Array.isArray(path) ? path[0] : path)
      .split(/[./]/)
      .filter(Boolean)
    if (first !== undefined) found[first] ??= String(message)
  }
  return found
}
