import fc from 'fast-check'
import { getAddress, type Hex } from 'viem'
import { expect, test } from 'vitest'
import { verificationMail } from './verification-mail.ts'

const digits = fc.stringMatching(/^[0-9]{6}$/)
const wallets = fc.stringMatching(/^0x[0-9a-f]{40}$/).map(address => getAddress(address as Hex))
const expiresAt = new Date('2026-11-21T09:41:07.123Z')

test('contains the six-digit code and its wallet', () => {
  fc.assert(
    fc.property(digits, wallets, (code, wallet) => {
      const { subject, text, html } = verificationMail({ code, wallet, gateway: 'localhost:8402', expiresAt })
      for (const part of [subject, text, html]) expect(part.match(/\b\d{6}\b/g)).toEqual([code])
      for (const part of [text, html]) {
        expect(part).toContain(wallet)
        expect(part).toContain('localhost:8402')
        expect(part).toContain('until 09:41 UTC')
      }
    }),
  )
})

test('no input injects a header or markup', () => {
  const wallet = getAddress(`0x${'a'.repeat(40)}`)
  const { subject, html } = verificationMail({ code: '123456', wallet, gateway: '<b>&"\'', expiresAt })
  expect(subject).not.toMatch(/[\r\n]/)
  expect(html).toContain('Enter this code at &lt;b&gt;&amp;&quot;&#39;:')
  expect(html).not.toContain('<b>')
})

test('closes every element of the HTML', () => {
  const wallet = getAddress(`0x${'a'.repeat(40)}`)
  const { html } = verificationMail({ code: '123456', wallet, gateway: 'localhost', expiresAt })
  const open: string[] = []
  for (const [, slash, name = ''] of html.matchAll(/<(\/?)([a-z][a-z0-9]*)[^>]*>/g)) {
    if (name === 'meta') continue
    if (slash === '') open.push(name)
    else expect(open.pop()).toBe(name)
  }
  expect(open).toEqual([])
})
