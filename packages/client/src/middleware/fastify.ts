import { Readable } from 'node:stream'
import type { FastifyPluginCallback } from 'fastify'
import { createVerifier, type Verified, type VerifyOptions } from '../verify/index.ts'
import { readBody } from './read-body.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who called; null where the plugin does not apply. */
    farebox: Verified | null
  }
}

const plugin: FastifyPluginCallback<VerifyOptions> = (app, options, done) => {
  const verifyMessage = createVerifier(options)
  app.decorateRequest('farebox', null)
  app.addHook('preParsing', async (request, _reply, payload) => {
    const { method, originalUrl: url, headers } = request
    // An iterator that ends early would otherwise close the connection before the refusal is sent.
    const body = await readBody(payload.iterator({ destroyOnReturn: false }), options.bodyBytesMax)
    request.farebox = await verifyMessage({ method, url, headers, body })
    return Object.assign(Readable.from([body]), { receivedEncodedLength: body.length })
  })
  done()
}

/**
 * A plugin for Fastify 5: every route of the scope that registers it serves signed requests only, and sets
 * `request.farebox`. Bodies are parsed as usual. A request that fails verification ends in the error handler with a
 * `Refusal`, which the default one answers with its status.
 *
 * @example
 * await app.register(verifyFarebox, { gatewayUrl, publicUrl: 'https://api.example', wallet: '0x...' })
 */
export const verifyFarebox: FastifyPluginCallback<VerifyOptions> = Object.assign(plugin, {
  // Applies to the scope that registers the plugin, not to one of its own.
  [Symbol.for('skip-override')]: true,
  [Symbol.for('fastify.display-name')]: '@farebox/client',
})
