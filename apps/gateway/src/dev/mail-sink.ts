import type { AddressInfo } from 'node:net'
import { domainToASCII } from 'node:url'
import PostalMime from 'postal-mime'
import { SMTPServer } from 'smtp-server'

/** Maximum stored mails. */
const MAILS_MAX = 500
/** Maximum size of a mail, in bytes. */
const MAIL_BYTES_MAX = 262_144
/** Maximum recipients of a mail. */
const RECIPIENTS_MAX = 50
const CLIENTS_MAX = 50
const SILENCE_TIMEOUT_MS = 10_000
const CLOSE_TIMEOUT_MS = 500

/** A mail as displayed by a mailbox. */
export type CaughtMail = {
  /** Its `Message-ID`, without the angle brackets. */
  readonly id: string
  readonly from: string
  /** Envelope recipients, whatever its head says. */
  readonly to: readonly string[]
  readonly subject: string
  readonly text: string
  readonly html: string
  /** ISO 8601. */
  readonly receivedAt: string
}

/** A mail server that stores mails and delivers none. */
export type MailSink = {
  /** For `SMTP_URL`. */
  readonly url: string
  /** Returns the mails to an address, case-insensitive, or all; newest first. */
  mails(to?: string): readonly CaughtMail[]
  stop(): Promise<void>
}

/**
 * Starts an SMTP server on loopback that accepts mail for any address and stores the newest in memory.
 *
 * @param port 0: any
 */
export async function startMailSink(port = 0): Promise<MailSink> {
  const kept: CaughtMail[] = []
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    size: MAIL_BYTES_MAX,
    maxClients: CLIENTS_MAX,
    socketTimeout: SILENCE_TIMEOUT_MS,
    closeTimeout: CLOSE_TIMEOUT_MS,
    logger: false,
    onRcptTo(_address, { envelope }, done) {
      done(envelope.rcptTo.length < RECIPIENTS_MAX ? null : refusal('Too many recipients.', 452))
    },
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = []
      let bytes = 0
      stream.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes <= MAIL_BYTES_MAX) chunks.push(chunk)
      })
      stream.on('end', () => {
        if (bytes > MAIL_BYTES_MAX) return done(refusal('The mail is too large.', 552))
        const to = envelope.rcptTo.map(({ address }) => asciiAddress(address))
        readMail(Buffer.concat(chunks), to).then(
          mail => {
            kept.unshift(mail)
            kept.length = Math.min(kept.length, MAILS_MAX)
            done()
          },
          () => done(refusal('The mail cannot be read.', 554)),
        )
      })
    },
  })
  // A client that disconnects is no error of the server.
  server.on('error', () => undefined)
  await new Promise<void>((listening, failed) => {
    server.server.once('error', failed)
    server.listen(port, '127.0.0.1', listening)
  })
  const { port: taken } = server.server.address() as AddressInfo

  return {
    url: `smtp://127.0.0.1:${taken}`,
    mails(to) {
      const wanted = to && asciiAddress(to).toLowerCase()
      return kept.filter(mail => wanted === undefined || mail.to.some(one => one.toLowerCase() === wanted))
    },
    stop: () => new Promise(stopped => server.close(() => stopped())),
  }
}

async function readMail(source: Buffer, to: readonly string[]): Promise<CaughtMail> {
  const { messageId, from, subject, text, html } = await PostalMime.parse(source)
  return {
    id: (messageId ?? '').replace(/^<|>$/g, ''),
    from: from?.address ?? '',
    to,
    subject: subject ?? '',
    text: text ?? '',
    html: html ?? '',
    receivedAt: new Date().toISOString(),
  }
}

/** Returns an address with its host as sent: smtp-server decodes punycode. */
function asciiAddress(address: string): string {
  const at = address.lastIndexOf('@')
  const host = address.slice(at + 1)
  return `${address.slice(0, at + 1)}${domainToASCII(host) || host}`
}

function refusal(message: string, responseCode: number): Error {
  return Object.assign(new Error(message), { responseCode })
}
