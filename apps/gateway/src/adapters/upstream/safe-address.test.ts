import { describe, expect, test } from 'vitest'
import { hostOf, isPublicAddress, readTargetUrl } from './safe-address.ts'

const policy = { ALLOW_PRIVATE_TARGETS: false, ALLOW_HTTP_TARGETS: true }

describe('an address', () => {
  test.each([
    '127.0.0.1',
    '127.255.255.254',
    '0.0.0.0',
    '0.1.2.3',
    '::1',
    '::',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    'fc00::1',
    'fd12:3456::1',
    'fec0::1',
    '169.254.169.254',
    'fe80::1',
    'fe80::1%eth0',
    'fd00:ec2::254',
    '168.63.129.16',
    '100.100.100.200',
    '100.64.0.1',
    '192.0.0.192',
    '192.0.2.1',
    '198.18.0.1',
    '203.0.113.1',
    '240.0.0.1',
    '255.255.255.255',
    '224.0.0.1',
    'ff02::1',
    '2001:db8::1',
    '3fff::1',
    '100::1',
    '4000::1',
    '5f00::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:8.8.8.8',
    '::127.0.0.1',
    '::7f00:1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::7f00:1',
    '2002:7f00:1::',
    '2001:0:4136:e378:8000:63bf:3fff:fdd2',
    '',
    'localhost',
    '127.1.1.1.1',
    'one.one.one.one',
  ])('%s is rejected', address => {
    expect(isPublicAddress(address)).toBe(false)
  })

  test.each([
    '8.8.8.8',
    '1.1.1.1',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700:4700::1111',
    '2a00:1450:4001::8a',
  ])('%s is allowed', address => {
    expect(isPublicAddress(address)).toBe(true)
  })
})

describe('a target URL', () => {
  test.each([
    ['http://2130706433/', '127.0.0.1'],
    ['http://0x7f.1/', '127.0.0.1'],
    ['http://0177.0.0.1/', '127.0.0.1'],
    ['http://127.1/', '127.0.0.1'],
    ['http://0/', '0.0.0.0'],
    ['http://[::ffff:7f00:1]/', '::ffff:7f00:1'],
    ['http://[::ffff:127.0.0.1]/', '::ffff:7f00:1'],
    ['http://%31%32%37.0.0.1/', '127.0.0.1'],
  ])('%s is resolved to the address %s and rejected', (text, address) => {
    const url = readTargetUrl(text, policy)
    if (typeof url === 'string') throw new Error(url)
    expect(hostOf(url)).toBe(address)
    expect(isPublicAddress(hostOf(url))).toBe(false)
  })

  test.each([
    ['file:///etc/passwd', 'scheme'],
    ['ftp://example.com/', 'scheme'],
    ['gopher://example.com/', 'scheme'],
    ['javascript:alert(1)', 'scheme'],
    ['data:text/plain,x', 'scheme'],
    ['ws://example.com/', 'scheme'],
    ['https://user@example.com/', 'userinfo'],
    ['https://user:secret@example.com/', 'userinfo'],
    ['https://:secret@example.com/', 'userinfo'],
    ['example.com', 'malformed'],
    ['//example.com/', 'malformed'],
    ['https://', 'malformed'],
    ['https://:443/', 'malformed'],
    ['https://?', 'malformed'],
    ['http://#', 'malformed'],
    ['https://exa mple.com/', 'malformed'],
    ['https://example.com/\r\nx: y', 'malformed'],
    ['https://example.com/\n', 'malformed'],
    ['https://1２7.0.0.1/', 'malformed'],
    ['https://127。0。0。1/', 'malformed'],
    ['https://[::1', 'malformed'],
    ['https://256.256.256.256/', 'malformed'],
    ['https://example.com:99999/', 'malformed'],
  ])('%j is rejected: %s', (text, reason) => {
    expect(readTargetUrl(text, policy)).toBe(reason)
  })

  test('plain http is rejected unless the configuration allows it', () => {
    expect(readTargetUrl('http://example.com/', { ...policy, ALLOW_HTTP_TARGETS: false })).toBe('scheme')
    expect(readTargetUrl('https://example.com/', { ...policy, ALLOW_HTTP_TARGETS: false })).toBeInstanceOf(
      URL,
    )
  })
})
