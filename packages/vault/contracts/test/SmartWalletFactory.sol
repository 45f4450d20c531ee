// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Create2} from "@openzeppelin/contracts/utils/Create2.sol";
import {SmartWallet} from "./SmartWallet.sol";

/// @title Factory of smart wallets at known addresses
/// @notice Tests only. A wallet has its address (CREATE2) before it has code; an ERC-6492 signature of such a wallet
/// names this factory and a call of {createWallet}, by which the verifier can bring the code about.
contract SmartWalletFactory {
    /// @notice Deploys the wallet, unless it is there already.
    /// @param owner whose key signs for the wallet
    /// @param salt tells several wallets of one owner apart
    /// @return wallet its address
    function createWallet(address owner, bytes32 salt) external returns (address wallet) {
        wallet = walletAddress(owner, salt);
        if (wallet.code.length == 0) Create2.deploy(0, salt, _creationCode(owner));
    }

    /// @notice The address that the wallet has or will have.
    /// @param owner whose key signs for the wallet
    /// @param salt tells several wallets of one owner apart
    function walletAddress(address owner, bytes32 salt) public view returns (address) {
        return Create2.computeAddress(salt, keccak256(_creationCode(owner)));
    }

    function _creationCode(address owner) private pure returns (bytes memory) {
        return abi.encodePacked(type(SmartWallet).creationCode, abi.encode(owner));
    }
}
