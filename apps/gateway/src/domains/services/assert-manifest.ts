import type { UpdateServiceBody } from '@farebox/wire/services'
import type { Deps } from '../../ports.ts'
import { compilePayloadSchema, PayloadSchemaError } from './payload-schema.ts'
import { invalidManifest, type ManifestIssue } from './rules.ts'

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

function issuesOf(schema: unknown, path: string): ManifestIssue[] {
  try {
    compilePayloadSchema(schema, path)
    return []
  } catch (error) {
    if (!(error instanceof PayloadSchemaError)) throw error
    return [{ path, message: error.message }]
  }
}
