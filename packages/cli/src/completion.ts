import tab from '@bomb.sh/tab/commander'
import type { Command } from 'commander'
import { examples } from './terminal/examples.ts'

/** Adds `farebox completion <shell>`, and the hidden command that its scripts ask. Call it after all other commands. */
export function addCompletion(program: Command): void {
  tab(program, { completionCommandName: 'completion' })
  const command = program.commands.find(each => each.name() === 'completion')
  command
    ?.description('Print a script that completes commands, options and their values in a shell.')
    .addHelpText(
      'after',
      examples(
        '# bash',
        '$ farebox completion bash > ~/.local/share/bash-completion/completions/farebox',
        '# zsh, in a folder of $fpath',
        '$ farebox completion zsh > ~/.zfunc/_farebox',
        '# fish',
        '$ farebox completion fish > ~/.config/fish/completions/farebox.fish',
      ),
    )
}
