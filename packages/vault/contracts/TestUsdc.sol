// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
import {ERC3009} from "@openzeppelin/contracts/token/ERC20/extensions/draft-ERC3009.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";

/// @title Test USDC
/// @notice Stands in for USDC on development and test chains: 6 decimals, EIP-2612 `permit`, and EIP-3009
/// `transferWithAuthorization`, `receiveWithAuthorization`, `cancelAuthorization` and `authorizationState`. The first
/// two also take the signature as bytes, which may then be that of a contract (ERC-1271), as in USDC 2.2.
/// @dev The EIP-712 domain is {name: "Test USDC", version: "1", chainId, verifyingContract}, which ERC-5267
/// `eip712Domain()` also reports. Worthless on purpose: its owner mints at will.
contract TestUsdc is ERC20Permit, ERC3009, Ownable {
    /// @notice Deploys the token without any supply.
    /// @param owner_ who may mint
    constructor(address owner_) ERC20("Test USDC", "USDC") ERC20Permit("Test USDC") Ownable(owner_) {}

    /// @notice Makes `amount` base units for `to`. The development faucet.
    /// @dev Only the owner.
    /// @param to who receives them
    /// @param amount how much, in base units (1 USDC is 1_000_000)
    function mint(address to, uint256 amount) external onlyOwner {
        _mint(to, amount);
    }

    /// @notice Moves tokens by a signed authorization, whoever submits it.
    /// @param signature 65 bytes r, s, v of `from`, or whatever its ERC-1271 `isValidSignature` accepts
    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes calldata signature
    ) external {
        bytes32 content = keccak256(
            abi.encode(TRANSFER_WITH_AUTHORIZATION_TYPEHASH, from, to, value, validAfter, validBefore, nonce)
        );
        _requireSigned(from, content, signature);
        _transferWithAuthorization(from, to, value, validAfter, validBefore, nonce);
    }

    /// @notice Like {transferWithAuthorization}, submitted by the payee only.
    /// @param signature 65 bytes r, s, v of `from`, or whatever its ERC-1271 `isValidSignature` accepts
    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes calldata signature
    ) external {
        bytes32 content = keccak256(
            abi.encode(RECEIVE_WITH_AUTHORIZATION_TYPEHASH, from, to, value, validAfter, validBefore, nonce)
        );
        _requireSigned(from, content, signature);
        require(to == _msgSender(), ERC20InvalidReceiver(to));
        _transferWithAuthorization(from, to, value, validAfter, validBefore, nonce);
    }

    /// @notice 6, as for USDC.
    function decimals() public pure override returns (uint8) {
        return 6;
    }

    /// @notice Version of the EIP-712 domain, which wallets and payment libraries read, as from USDC.
    function version() external pure returns (string memory) {
        return "1";
    }

    function _requireSigned(address from, bytes32 content, bytes calldata signature) private view {
        require(
            SignatureChecker.isValidSignatureNowCalldata(from, _hashTypedDataV4(content), signature),
            ERC3009InvalidSignature()
        );
    }

    /// @dev Plain Unix times as in EIP-3009 and in USDC, without the block-number clock that the base contract adds.
    function _checkValidity(uint256 validAfter, uint256 validBefore) internal view override {
        if (block.timestamp <= validAfter || block.timestamp >= validBefore) {
            revert ERC3009InvalidAuthorizationTime(validAfter, validBefore);
        }
    }
}
