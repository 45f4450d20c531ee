import type { Client, InputOf } from '@farebox/client'
import { Command } from 'commander'
import { badInput } from '../failure.ts'
import {
  type DraftWarning,
  type ManifestOptions,
  overlay,
  refusePlaceholders,
  remaining,
} from '../manifest.ts'
import { openSession, type Session } from '../session.ts'
import { examples } from '../terminal/examples.ts'
import { note, print, printJson, printTable } from '../terminal/output.ts'
import { describing, readManifest } from './manifest-options.ts'
import { collect, readText } from './read-options.ts'

type Manifest = Record<string, unknown>
type Body = InputOf<'registerService'>['body']
type Draft = {
  readonly manifest: Manifest
  readonly warnings: readonly DraftWarning[]
  readonly unsupported: readonly { option: string; message: string }[]
}
type Options = ManifestOptions & {
  readonly manifest?: string
  readonly fromCurl?: string
  readonly fromOpenapi?: string
  readonly operation?: readonly string[]
  readonly serverUrl?: string
  readonly dryRun?: true
}

/** `farebox register`. */
export function registerCommand(): Command {
  const command = new Command('register')
    .description('Sell a service: from options, a manifest, a curl command or an OpenAPI document.')
    .option('--manifest <json>', 'the manifest; @FILE reads a file, - standard input')
    .option('--from-curl <command>', 'draft it from a curl command; @FILE or -; it is not run')
    .option('--from-openapi <document>', 'draft from an OpenAPI document, JSON or YAML: @FILE or -')
    .option(
      '--operation <operation>',
      'operation of the document, such as "GET /pets"; none: list them',
      collect,
    )
    .option('--server-url <url>', 'server of the targets, instead of that of the document')
  return describing(command)
    .option('--inactive', 'register it without offering it')
    .option('--dry-run', 'print the manifest; register nothing')
    .addHelpText(
      'after',
      examples(
        '$ farebox register --name Weather --tool-name weather --price 0.01 --url https://api.example/now --method GET',
        "$ farebox register --price 0.01 --tool-name weather --from-curl 'curl https://api.example/now?city=Lisbon'",
        '$ farebox register --from-openapi @openapi.yaml',
        '$ farebox register --from-openapi @openapi.yaml --operation "GET /pets/{id}" --price 0.02 --dry-run',
        '$ farebox register --name Ferryman --input-price 1.5 --output-price 6 --upstream-model m-1 \\',
        '    --url https://llm.example/v1/chat/completions --header-env Authorization=LLM_AUTHORIZATION',
      ),
    )
    .action(async (options: Options, command: Command) => register(openSession(command), options))
}

async function register(session: Session, options: Options): Promise<void> {
  const { api } = session.owner()
  const drafts = await draft(api, options)
  if (drafts === null) return listOperations(session, api, options)
  if (drafts.length > 1 && (options.toolName !== undefined || options.name !== undefined))
    throw badInput('--name and --tool-name are for one service: leave them out, or give one --operation.')
  const answers = []
  for (const { manifest, warnings, unsupported } of complete(drafts, options)) {
    for (const { path, message } of warnings) note(`review ${path}: ${message}`)
    for (const { option, message } of unsupported) note(`left out ${option}: ${message}`)
    if (options.dryRun) answers.push(manifest)
    else {
      const answer = await api.registerService({ body: manifest as Body })
      for (const warning of answer.warnings) note(`warning: ${warning}`)
      if (!session.isJson) print(`${answer.agentToolName} ${answer.serviceId} ${answer.status}`)
      answers.push(answer)
    }
  }
  if (session.isJson) printJson(answers.length === 1 ? answers[0] : answers)
  else if (options.dryRun) for (const manifest of answers) print(JSON.stringify(manifest, null, 2))
}

/** @throws Failure before any is registered, if one has a placeholder for a key */
function complete(drafts: readonly Draft[], options: Options): Draft[] {
  const completed = drafts.map(each => ({
    ...each,
    manifest: overlay(each.manifest, options),
    warnings: remaining(each.warnings, options),
  }))
  if (!options.dryRun) for (const each of completed) refusePlaceholders(each.manifest, each.warnings)
  return completed
}

/** Returns the drafts that the options name; null: the operations of a document are to be listed. */
async function draft(api: Client, options: Options): Promise<readonly Draft[] | null> {
  const { manifest, fromCurl, fromOpenapi, operation = [], serverUrl } = options
  const sources = [manifest, fromCurl, fromOpenapi].filter(source => source !== undefined)
  if (sources.length > 1) throw badInput('Give one of --manifest, --from-curl and --from-openapi.')
  if (fromCurl !== undefined)
    return [await api.draftService({ body: { curlCommand: readText(fromCurl, '--from-curl') } })]
  if (fromOpenapi !== undefined) {
    if (operation.length === 0) return null
    const document = readText(fromOpenapi, '--from-openapi')
    const body = { document, operations: [...operation], ...(serverUrl !== undefined && { serverUrl }) }
    return (await api.draftServicesFromOpenapi({ body })).drafts
  }
  return [{ manifest: readManifest(manifest), warnings: [], unsupported: [] }]
}

async function listOperations(session: Session, api: Client, options: Options): Promise<void> {
  const document = readText(options.fromOpenapi ?? '', '--from-openapi')
  const answer = await api.draftServicesFromOpenapi({ body: { document, operations: [] } })
  if (session.isJson) {
    printJson(answer)
    return
  }
  printTable(
    ['OPERATION', 'SUMMARY', 'PROBLEM'],
    answer.operations.map(each => [each.operation, each.summary, each.problem ?? '']),
  )
  note('Register some: --operation "GET /path", with --price.')
}
