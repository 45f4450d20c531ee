import { type Command, Option } from 'commander'
import { badInput } from '../failure.ts'
import { collect, readAmount, readCount, readJson, readText } from './read-options.ts'

const TOKENS_MAX = 10_000_000
const TIMEOUT_MS_MAX = 120_000
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD']

/** Adds the options that are members of a manifest. */
export function describing(command: Command): Command {
  return command
    .option('--name <name>', 'name shown to people')
    .option('--tool-name <name>', 'name by which agents call it: a-z, 0-9, _ and -')
    .option('--summary <text>', 'what it does, in a sentence')
    .option('--tag <tag>', 'repeat for more', collect)
    .option('--url <url>', 'target; {name} in its path is a parameter; repeat for more', collect)
    .addOption(new Option('--method <method>', 'HTTP method').choices(METHODS))
    .option('--timeout-ms <ms>', 'time for an answer', readCount(1, TIMEOUT_MS_MAX))
    .option('--header <header>', '"Name: value" sent to the targets; kept secret by the gateway', collect)
    .option('--header-env <name=VARIABLE>', 'a header whose value is in an environment variable', collect)
    .option('--price <usdc>', 'price of a call', readAmount)
    .option('--input-price <usdc>', 'a model: price of a million input tokens', readAmount)
    .option('--output-price <usdc>', 'a model: price of a million output tokens', readAmount)
    .addOption(new Option('--dialect <dialect>', 'API of the model').choices(['openai', 'anthropic']))
    .option('--upstream-model <name>', 'name of the model at its provider')
    .option('--max-output-tokens <count>', 'default bound on output tokens', readCount(1, TOKENS_MAX))
    .option('--max-auto-hold <usdc>', 'most that is held for a call without a cap', readAmount)
}

/** Returns the manifest of `--manifest`; without it one without members. */
export function readManifest(text: string | undefined): Record<string, unknown> {
  const given = text === undefined ? {} : readJson(readText(text, '--manifest'), '--manifest')
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw badInput('--manifest is not a JSON object.')
  return given as Record<string, unknown>
}
