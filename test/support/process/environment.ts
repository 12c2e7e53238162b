export type EnvironmentVariables = Readonly<Record<string, string | undefined>>

/** The environment of this process, without the variables that change the behaviour of the project, of Node or of Vitest. */
export const createEnvironment = (added: EnvironmentVariables): NodeJS.ProcessEnv => {
  const removed = /^(?:SVC_.*|CI|NO_COLOR|FORCE_COLOR|COLUMNS|NODE_(?!EXTRA_CA_CERTS).*|VITEST.*|TEST.*)$/
  const own = Object.entries(process.env).filter(([name]) => !removed.test(name))
  return { ...Object.fromEntries(own), ...added }
}
