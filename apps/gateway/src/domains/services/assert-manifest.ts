import { GatewayError } from '@farebox/wire/errors'
import type { UpdateServiceBody } from '@farebox/wire/services'
import type { Deps } from '../../ports.ts'
import { compilePayloadSchema, PayloadSchemaError } from './payload-schema.ts'

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
  const issues = [
    ...issuesOf(invoke.request.body, 'invoke.request.body'),
    ...issuesOf(invoke.response.body, 'invoke.response.body'),
  ]
  const [first] = issues
  if (first !== undefined) {
    throw new GatewayError('INVALID_MANIFEST', { issues }, { message: `${first.path}: ${first.message}` })
  }
  await Promise.all(invoke.targets.map(({ url }) => deps.upstream.assertSafeTarget(url)))
}

function issuesOf(schema: unknown, path: string): { path: string; message: string }[] {
  try {
    compilePayloadSchema(schema, path)
    return []
  } catch (error) {
    if (!(error instanceof PayloadSchemaError)) throw error
    return [{ path, message: error.message }]
  }
}
