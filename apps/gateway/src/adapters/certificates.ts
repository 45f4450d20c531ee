import { once } from 'node:events'
import { connect as connectTcp, isIP } from 'node:net'
import { connect as connectTls } from 'node:tls'
import pg from 'pg'
import type { Config } from '../config.ts'
import type { LabelsOf } from '../telemetry/instruments.ts'

/** Maximum time of a connection and its handshake, in ms. */
const READ_MS_MAX = 5_000
const HTTPS_PORT = 443
/** SSLRequest (PostgreSQL documentation, "Message Formats"). The answer is `S`, or `N` without TLS. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f])
const TLS_OFFERED = 0x53

/** A server with a certificate that this gateway or its clients depend on. */
export type TlsServer = {
  /** Value of the label `server` of `farebox_certificate_expires_seconds`. */
  readonly server: LabelsOf<'farebox_certificate_expires_seconds'>['server']
  /** Setting with its URL. */
  readonly setting: string
  readonly host: string
  readonly port: number
}

type Settings = Pick<
  Config,
  'DATABASE_URL' | 'CHAIN_RPC_URL' | 'RPC_URLS' | 'TICKET_SIGNER_URL' | 'PUBLIC_URL'
>

/** Returns the servers of a gateway's settings that speak TLS. */
export function tlsServersOf(config: Settings): TlsServer[] {
  const { RPC_URLS, TICKET_SIGNER_URL, PUBLIC_URL } = config
  return [
    ...databaseServer(config.DATABASE_URL),
    ...httpsServer('chain', 'CHAIN_RPC_URL', config.CHAIN_RPC_URL),
    ...RPC_URLS.flatMap(url => httpsServer('chain', 'RPC_URLS', url)),
    ...httpsServer('ticket_signer', 'TICKET_SIGNER_URL', TICKET_SIGNER_URL),
    ...httpsServer('public', 'PUBLIC_URL', PUBLIC_URL),
  ]
}

function databaseServer(connectionString: string | undefined): TlsServer[] {
  if (connectionString === undefined) return []
  try {
    // Not connected: pg has read the string and the environment.
    const { host, port, ssl } = new pg.Client({ connectionString })
    return ssl && !host.startsWith('/') ? [{ server: 'database', setting: 'DATABASE_URL', host, port }] : []
  } catch {
    // A file that it names cannot be read; each connection says so.
    return []
  }
}

function httpsServer(server: TlsServer['server'], setting: string, url: string | undefined): TlsServer[] {
  if (url === undefined) return []
  const { protocol, hostname, port } = new URL(url)
  if (protocol !== 'https:') return []
  const host = hostname.replace(/^\[|\]$/g, '')
  return [{ server, setting, host, port: Number(port || HTTPS_PORT) }]
}

/**
 * Reads when the certificate of a server expires, in ms since the epoch, by a handshake. Verifies nothing and sends
 * nothing: that of an expired certificate can be read, too.
 *
 * @throws Error if the server cannot be reached within 5 s or speaks no TLS
 */
export async function readCertificateExpiry(
  { server, host, port }: TlsServer,
  stopping?: AbortSignal,
): Promise<number> {
  const late = AbortSignal.timeout(READ_MS_MAX)
  const signal = stopping === undefined ? late : AbortSignal.any([stopping, late])
  const socket = connectTcp({ host, port })
  // Errors after the awaited event have no other listener.
  socket.on('error', () => undefined)
  try {
    await once(socket, 'connect', { signal })
    if (server === 'database') {
      socket.write(SSL_REQUEST)
      const [answer] = (await once(socket, 'data', { signal })) as [Buffer]
      if (answer[0] !== TLS_OFFERED) throw new Error('The database offers no TLS.')
    }
    const secure = connectTls({
      socket,
      rejectUnauthorized: false,
      ...(isIP(host) === 0 && { servername: host }),
    })
    secure.on('error', () => undefined)
    await once(secure, 'secureConnect', { signal })
    return Date.parse(secure.getPeerCertificate().valid_to)
  } catch (error) {
    if (late.aborted) throw new Error(`No TLS handshake within ${READ_MS_MAX / 1_000} s.`)
    throw error
  } finally {
    socket.destroy()
  }
}
