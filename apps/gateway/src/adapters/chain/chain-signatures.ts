import {
  type Address,
  encodeDeployData,
  erc6492SignatureValidatorAbi,
  erc6492SignatureValidatorByteCode,
  getAddress,
  type Hex,
  hashMessage,
  isHex,
  type PublicClient,
  recoverAddress,
} from 'viem'
import { lowerCase } from './chain-events.ts'
import { ask, isFailedExecution } from './chain-rpc.ts'

const KEY_SIGNATURE_HEX_LENGTH = 2 + 2 * 65
/** Maximum length: fits ERC-6492 wrappers with factory call data, passkey and multi-owner signatures. */
const SIGNATURE_HEX_LENGTH_MAX = 2 + 2 * 16_384
/** Maximum gas of a wallet's verifier; bounds how long a hostile one can block the node. */
const VERIFIER_GAS_MAX = 20_000_000n
const HALF_OF_CURVE_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n
const VALID = '0x01'

/**
 * Verifies the signature of a message (EIP-191): by the key of the address, without network access, or else by the
 * wallet contract at the address (ERC-1271), even if not yet deployed (ERC-6492).
 *
 * @returns false for any invalid signature, also if the verifier reverts or uses up its gas
 * @throws GatewayError UNAVAILABLE if the node is needed and unreachable
 */
export async function verifyMessageSignature(
  client: PublicClient,
  input: { address: Address; message: string; signature: Hex },
): Promise<boolean> {
  const { signature } = input
  if (!isHex(signature) || signature.length % 2 !== 0 || signature.length > SIGNATURE_HEX_LENGTH_MAX)
    return false
  const address = lowerCase(input.address)
  const hash = hashMessage(input.message)
  if (await isSignedByKey({ address, hash, signature })) return !isMalleated(signature)
  return isSignedByContract(client, { address, hash, signature })
}

async function isSignedByKey(input: { address: Address; hash: Hex; signature: Hex }): Promise<boolean> {
  const { address, hash, signature } = input
  if (signature.length !== KEY_SIGNATURE_HEX_LENGTH) return false
  // Sixty-five bytes that are not a point of the curve may still be valid for a contract.
  const signer = await recoverAddress({ hash, signature }).catch(() => null)
  return signer !== null && lowerCase(signer) === address
}

/** The second form of a signature, which anyone can compute from the first (EIP-2); wallets never produce it. */
function isMalleated(signature: Hex): boolean {
  return BigInt(`0x${signature.slice(66, 130)}`) > HALF_OF_CURVE_ORDER
}

async function isSignedByContract(
  client: PublicClient,
  input: { address: Address; hash: Hex; signature: Hex },
): Promise<boolean> {
  const { address, hash, signature } = input
  const data = encodeDeployData({
    abi: erc6492SignatureValidatorAbi,
    bytecode: erc6492SignatureValidatorByteCode,
    args: [getAddress(address), hash, signature],
  })
  const answer = await ask(async () => {
    try {
      return (await client.call({ data, gas: VERIFIER_GAS_MAX })).data
    } catch (error) {
      if (isFailedExecution(error)) return '0x'
      throw error
    }
  })
  return answer === VALID
}
