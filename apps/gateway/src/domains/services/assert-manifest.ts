import type { UpdateServiceBody } from '@farebox/wire/services'
import type { Deps } from '../../ports.ts'
import { compilePayloadSchema, PayloadSchemaError } from './payload-schema.ts'
import { faultOfToolName, invalidManifest, type ManifestIssue } from './rules.ts'

/**
 * Checks what a schema of ours cannot: the JSON Schemas of a manifest, and where its targets point.
 *
 * @throws GatewayError INVALID_MANIFEST with `detail.issues`, UNSAFE_TARGET_URL with `detail.reason`
 */
export async function assertManifest(
  deps: Pick<Deps, 'upstream'>,
  { invoke }: Pick<UpdateServiceBody, 'invoke'>,
): Promise<void> {
  if (invoke === undefined) return
  const error = invalidManifest([
    ...issuesOf(invoke.request.body, 'invoke.request.body'),
    ...issuesOf(invoke.response.body, 'invoke.response.body'),
  ])
  if (error !== null) throw error
  await Promise.all(invoke.targets.map(({ url }) => deps.upstream.assertSafeTarget(url)))
}

/**
 * Checks a tool name that a service shall take. A name that it has already may be of an older form.
 *
 * @throws GatewayError INVALID_MANIFEST with `detail.issues`
 */
export function assertToolName(name: string): void {
  const message = faultOfToolName(name)
  const error = message === null ? null : invalidManifest([{ path: 'agentToolName', message }])
  if (error !== null) throw error
}

function issuesOf(schema: unknown, path: string): ManifestIssue[] {
  try {
    compilePayloadSchema(schema, path)
    return []
  } catch (error) {
    if (!(error instanceof PayloadSchemaError)) throw error
    return [{ path, message: error.message }]
  }
}
