import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type MailSink, startMailSink } from '../dev/mail-sink.ts'
import type { Mail } from '../ports.ts'
import { createMailer } from './mailer.ts'

const mail: Mail = {
  id: 'evc_1',
  to: 'ada@example.com',
  subject: 'A subject — with a dash',
  text: 'Some text.\n.\nAfter a line with a dot.\n',
  html: '<p>Some text — as a page.</p>\n',
}
const from = 'Farebox <no-reply@farebox.example>'
const never = new AbortController().signal

let sink: MailSink

beforeAll(async () => {
  sink = await startMailSink()
})
afterAll(() => sink?.stop())

/** A mail server with scripted behaviour. */
async function startServer(options: SMTPServerOptions) {
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    authOptional: true,
    logger: false,
    ...options,
  })
  server.on('error', () => undefined)
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  const { port } = server.server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}`,
    stop: () => new Promise<void>(stopped => server.close(() => stopped())),
  }
}

const refuse = (responseCode: number) =>
  Object.assign(new Error('Not you, ada@example.com.'), { responseCode })

test('delivers a mail unaltered, as text and as HTML', async () => {
  expect(await createMailer({ url: sink.url, from }).send(mail, never)).toBe(true)
  const [caught] = sink.mails('ADA@example.com')
  expect(caught).toMatchObject({
    id: 'evc_1@farebox.example',
    from: 'no-reply@farebox.example',
    to: ['ada@example.com'],
    subject: mail.subject,
  })
  expect(caught?.text.trimEnd()).toBe(mail.text.trimEnd())
  expect(caught?.html.trimEnd()).toBe(mail.html.trimEnd())
})

test('lets neither address nor subject inject a header or recipient', async () => {
  const mailer = createMailer({ url: sink.url, from })
  const before = sink.mails().length
  const hostile: Partial<Mail>[] = [
    { to: 'eve@example.com\r\nBcc: mallory@example.com' },
    { to: 'eve@example.com, mallory@example.com' },
    { to: 'eve@example.com>\r\nRCPT TO:<mallory@example.com' },
    { subject: 'Hello\r\nBcc: mallory@example.com\r\n\r\nOther text' },
  ]
  for (const part of hostile) {
    await mailer.send({ ...mail, ...part }, never).catch(() => undefined)
  }
  expect(sink.mails('mallory@example.com')).toEqual([])
  for (const { to, text } of sink.mails().slice(0, sink.mails().length - before)) {
    expect(to).toHaveLength(1)
    expect(text).toContain('Some text.')
  }
})

test('returns false for a permanent rejection, and throws for any other', async () => {
  for (const [responseCode, isFinal] of [
    [550, true],
    [552, true],
    [450, false],
    [421, false],
  ] as const) {
    const atRecipient = await startServer({
      onRcptTo: (_address, _session, done) => done(refuse(responseCode)),
    })
    const atData = await startServer({
      onData(stream, _session, done) {
        stream.resume()
        stream.on('end', () => done(refuse(responseCode)))
      },
    })
    for (const server of [atRecipient, atData]) {
      const sent = createMailer({ url: server.url, from }).send(mail, never)
      if (isFinal) expect(await sent).toBe(false)
      else await expect(sent).rejects.toThrow(`${responseCode}`)
      await server.stop()
    }
  }
})

test('names neither the address nor the password in an error', async () => {
  const server = await startServer({
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: (_auth, _session, done) => done(refuse(535)),
  })
  const url = server.url.replace('//', '//user:hunter2@')
  const error: Error = await createMailer({ url, from })
    .send(mail, never)
    .then(
      () => new Error('It was sent.'),
      (thrown: Error) => thrown,
    )
  expect(error.message).toBe('The mail server did not accept a mail: EAUTH 535.')
  expect(JSON.stringify(error) + error.stack + String(error.cause)).not.toMatch(/hunter2|ada@/)
  await server.stop()
})

test('throws when no server listens, so that the job retries', async () => {
  const server = await startServer({})
  await server.stop()
  await expect(createMailer({ url: server.url, from }).send(mail, never)).rejects.toThrow(
    'did not accept a mail',
  )
})

test('ends an attempt at a silent server when it is aborted', async () => {
  const server = await startServer({ onConnect: () => undefined, closeTimeout: 100 })
  const giveUp = new AbortController()
  const sent = createMailer({ url: server.url, from }).send(mail, giveUp.signal)
  setTimeout(() => giveUp.abort(), 100)
  await expect(sent).rejects.toThrow('did not accept a mail')
  await server.stop()
})
