import type { Command } from 'commander'
import { isLeft, right } from 'fp-ts/lib/Either.js'
import type { DataKind } from '../input/client-options.js'
import { usageError, withDeployment, type Deployment } from '../input/deployment.js'
import { createTokenNames, type TokenNames } from './token-names.js'
import { readTokensFile } from './tokens-file.js'
import { parseTokensVariable } from './tokens-variable.js'
import { namedTokens, selectTokens, type SelectedTokens, type UserTokens } from './selected-tokens.js'

/** What a command works with. */
export interface CommandInput {
  readonly deployment: Deployment
  readonly tokens: SelectedTokens
  /** The names of these and of all other known tokens. */
  readonly names: TokenNames
}

/**
 * Calls `use` with the deployment that the flags select, and with the tokens of the arguments (symbols, addresses or
 * topics), then closes the deployment. An invalid token is a usage error.
 */
export const withTokens = async (
  command: Command,
  dataKind: DataKind,
  given: readonly string[],
  use: (input: CommandInput) => Promise<void>,
): Promise<void> => {
  const user = userTokens(command, command.opts<{ readonly tokens?: string }>().tokens)
  await withDeployment(command, dataKind, async (deployment) => {
    const sources = { ...user, ...deployment }
    const tokens = selectTokens(given, sources)
    if (isLeft(tokens)) return usageError(command, tokens.left)
    const names = createTokenNames(namedTokens(sources, tokens.right))
    await use({ deployment, tokens: tokens.right, names })
  })
}

/** The tokens of --tokens, whose argument is `path`, and of SVC_TOKENS. An invalid one is a usage error. */
export const userTokens = (command: Command, path: string | undefined): UserTokens => {
  const fileTokens = path === undefined ? right([]) : readTokensFile(path)
  if (isLeft(fileTokens)) return usageError(command, fileTokens.left)
  const variableEntries = parseTokensVariable(process.env['SVC_TOKENS'] ?? '', fileTokens.right)
  if (isLeft(variableEntries)) return usageError(command, variableEntries.left)
  return { fileTokens: fileTokens.right, variableEntries: variableEntries.right }
}
