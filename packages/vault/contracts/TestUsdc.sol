// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
import {ERC3009} from "@openzeppelin/contracts/token/ERC20/extensions/draft-ERC3009.sol";

/// @title Test USDC
/// @notice Stands in for USDC on development and test chains: 6 decimals, EIP-2612 `permit`, and EIP-3009
/// `transferWithAuthorization`, `receiveWithAuthorization`, `cancelAuthorization` and `authorizationState`.
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

    /// @notice 6, as for USDC.
    function decimals() public pure override returns (uint8) {
        return 6;
    }

    /// @dev Plain Unix times as in EIP-3009 and in USDC, without the block-number clock that the base contract adds.
    function _checkValidity(uint256 validAfter, uint256 validBefore) internal view override {
        if (block.timestamp <= validAfter || block.timestamp >= validBefore) {
            revert ERC3009InvalidAuthorizationTime(validAfter, validBefore);
        }
    }
}
