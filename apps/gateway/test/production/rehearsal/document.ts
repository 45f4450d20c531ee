import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const DOCUMENT = join(import.meta.dirname, '../../../../../docs/operations.md')
/** Assignments before or in a command. */
const ASSIGNMENT = /\b([A-Z][A-Z0-9_]+)=(\S+)/g

/** A command in a block of docs/operations.md. */
export type Command = {
  /** Heading of its section, or of the document. */
  readonly heading: string
  readonly text: string
}

/** Returns the commands of the blocks of a document, without comments. */
export function readCommands(markdown: string): Command[] {
  return markdown.split(/^## /m).flatMap(section => {
    const heading = section.slice(0, section.indexOf('\n'))
    const blocks = [...section.matchAll(/^```(sh|sql)\n([\s\S]*?)^```$/gm)]
    return blocks.flatMap(([, language, body = '']) => {
      const isEnd = language === 'sh' ? isWhole : (text: string) => text.endsWith(';')
      return commandsOf(body, isEnd).map(text => ({ heading, text }))
    })
  })
}

/** Returns the commands of a block, each of as many lines as it takes. */
function commandsOf(body: string, isEnd: (text: string) => boolean): string[] {
  const found: string[] = []
  let text = ''
  for (const line of body.split('\n')) {
    if (text === '' && /^(#.*)?$/.test(line)) continue
    text += text === '' ? line : `\n${line}`
    if (!isEnd(text)) continue
    found.push(text.replace(/ {2,}#.*$/, ''))
    text = ''
  }
  if (text !== '') throw new Error(`A command has no end: ${text}`)
  return found
}

/** Returns whether no line, quotation, subshell or here-document of a shell command is open. */
function isWhole(text: string): boolean {
  let quote = ''
  let depth = 0
  for (const each of text) {
    if (quote === '' && (each === '"' || each === "'")) quote = each
    else if (each === quote) quote = ''
    else if (quote === '') depth += Number(each === '(') - Number(each === ')')
  }
  const [, end] = /<<(\w+)/.exec(text) ?? []
  return (
    quote === '' && depth === 0 && !text.endsWith('\\') && (end === undefined || text.endsWith(`\n${end}`))
  )
}

/** The commands of docs/operations.md, which notes those that were taken out of it. */
export function openDocument() {
  const commands = readCommands(readFileSync(DOCUMENT, 'utf8'))
  const taken = new Set<string>()
  return {
    /** Returns whether a command was taken. */
    hasTaken: (text: string) => taken.has(text),
    /**
     * Returns the command that has these words, with other values.
     *
     * @param values  of the settings before it; of a secret, the file that holds it
     * @param changes texts in it, and what replaces them
     * @throws Error unless one command has the words, and every placeholder gets a value
     */
    take(words: string, values: Values = {}, changes: Readonly<Record<string, string>> = {}): string {
      const found = commands.filter(({ text }) => text.includes(words))
      const [command] = found
      if (command === undefined || found.some(({ text }) => text !== command.text))
        throw new Error(`docs/operations.md must have one command with "${words}".`)
      taken.add(command.text)
      const given = command.text.replace(ASSIGNMENT, (whole, name: string) => {
        const value = values[name]
        if (value === undefined) return whole
        return typeof value === 'string' ? `${name}='${value}'` : `${name}_FILE='${value.file}'`
      })
      const text = Object.entries(changes).reduce((edited, [from, to]) => {
        if (!edited.includes(from)) throw new Error(`The command with "${words}" has no "${from}".`)
        return edited.replaceAll(from, to)
      }, given)
      if (/\.{3}/.test(text)) throw new Error(`A value is missing: ${text}`)
      return text
    },
  }
}

/** Values of settings; a secret is in a file. */
export type Values = Readonly<Record<string, string | { readonly file: string }>>
