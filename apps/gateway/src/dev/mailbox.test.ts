import { once } from 'node:events'
import { connect } from 'node:net'
import { createTransport } from 'nodemailer'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { observeAnswers } from '../../test/contract/observer.ts'
import { send } from '../../test/kit/network/http.ts'
import { createMetrics } from '../adapters/metrics.ts'
import { type App, buildApp } from '../app.ts'
import { readConfig } from '../config.ts'
import type { Deps } from '../ports.ts'
import { type MailSink, startMailSink } from './mail-sink.ts'
import { mailboxRoute } from './mailbox.ts'

type Mailbox = { status: string; mails: { to: string[]; subject: string; text: string; html: string }[] }

let sink: MailSink
let app: App
const observer = observeAnswers()

beforeAll(async () => {
  sink = await startMailSink()
  const silent = { debug() {}, info() {}, warn() {}, error() {} }
  const config = readConfig({ FAREBOX_MODE: 'dev' })
  const observing = { log: silent, metrics: createMetrics(silent), tracer: null }
  const deps = { config, ids: { next: () => 'req_1' }, ...observing } as unknown as Deps
  app = await buildApp(deps, async root => mailboxRoute(root, sink), observer.onAnswer)
})
afterAll(async () => {
  await app?.close()
  await sink?.stop()
  observer.assertKept()
})

const deliver = (mail: object) =>
  createTransport({ url: sink.url }).sendMail({ from: 'from@example.com', text: 'text', ...mail })
const read = async (query: string) => (await send<Mailbox>(app, `/dev/mailbox${query}`)).body

test('lists the mails to one address, or all, newest first', async () => {
  await deliver({ to: 'ada@example.com', subject: 'first', html: '<p>page</p>' })
  await deliver({ to: ['eve@example.com', 'ada@example.com'], subject: 'second — in Ünicode' })
  await deliver({ to: 'eve@example.com', subject: 'third' })
  const subjects = async (query: string) => (await read(query)).mails.map(mail => mail.subject)
  expect(await subjects('?to=ADA@example.com')).toEqual(['second — in Ünicode', 'first'])
  expect(await subjects('?to=nobody@example.com')).toEqual([])
  expect(await subjects('')).toEqual(['third', 'second — in Ünicode', 'first'])
  expect(await subjects('?to=')).toHaveLength(3)
  const { status, mails } = await read('?to=ada@example.com')
  expect(status).toBe('success')
  expect(mails[1]).toMatchObject({ from: 'from@example.com', to: ['ada@example.com'], html: '<p>page</p>\n' })
})

test('shows the codes in mails to no page of another origin', async () => {
  const { status, headers } = await send(app, '/dev/mailbox', { headers: { origin: 'https://evil.test' } })
  expect([status, headers['access-control-allow-origin']]).toEqual([200, undefined])
})

test('refuses a too long address', async () => {
  const refused = await send(app, `/dev/mailbox?to=${'a'.repeat(321)}`)
  expect([refused.status, refused.body.code]).toEqual([400, 'INVALID_REQUEST'])
})

test('rejects a mail that is too large, and does not store it', async () => {
  const text = 'a'.repeat(300_000)
  await expect(deliver({ to: 'big@example.com', text })).rejects.toThrow(/552/)
  expect(sink.mails('big@example.com')).toEqual([])
})

test('drops the mail of a client that disconnects, and accepts the next', async () => {
  const socket = connect(Number(new URL(sink.url).port), '127.0.0.1')
  socket.write('EHLO x\r\nMAIL FROM:<a@b.co>\r\nRCPT TO:<rubbish@example.com>\r\nDATA\r\n')
  await once(socket, 'data')
  socket.destroy()
  await deliver({ to: 'after@example.com', subject: 'after' })
  expect(sink.mails('after@example.com')).toHaveLength(1)
  expect(sink.mails('rubbish@example.com')).toEqual([])
})

test('replaces the oldest mails by the newest', async () => {
  const transport = createTransport({ url: sink.url, pool: true, maxConnections: 5, maxMessages: 1_000 })
  const one = (index: number) =>
    transport.sendMail({ from: 'a@b.co', to: 'many@example.com', subject: `${index}`, text: 'text' })
  await deliver({ to: 'many@example.com', subject: 'oldest' })
  expect((await read('?to=many@example.com')).mails).toHaveLength(1)
  await Promise.all(Array.from({ length: 510 }, (_, index) => one(index)))
  transport.close()
  await deliver({ to: 'many@example.com', subject: 'newest' })
  const subjects = sink.mails().map(({ subject }) => subject)
  expect([subjects.length, new Set(subjects).size, subjects[0]]).toEqual([500, 500, 'newest'])
  expect(subjects).not.toContain('oldest')
  expect((await read('')).mails.map(({ subject }) => subject)).toEqual(subjects.slice(0, 100))
})
