import { deploymentFlags, withVariable, type DeploymentFlagName } from '../input/deployment-flags.js'
import { serverName } from '../input/hint.js'

/** What to do after a TLS handshake that failed with this code. */
export const tlsAdvice = (code: string, flagName: DeploymentFlagName): string => {
  const flag = withVariable(deploymentFlags[flagName])
  const server = serverName(flagName)
  if (code === 'CERT_HAS_EXPIRED')
    return `Ask the operator of the ${server} for a new certificate, and check the date of this machine.`
  if (code === 'CERT_NOT_YET_VALID') return 'Check the date of this machine.'
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return `Use the host name of the certificate in ${flag}.`
  if (/SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER)/.test(code))
    return 'If you trust the authority that signed the certificate, set NODE_EXTRA_CA_CERTS to a file that contains it.'
  if (/^(?:E(?:CONN|HOST|NET|TIMEDOUT|PIPE)|TIMEOUT|UNKNOWN)/.test(code))
    return `Check that the ${server} runs, and that ${flag} is its address.`
  return `Check the port and the scheme in ${flag}: the ${server} may not use TLS there.`
}
