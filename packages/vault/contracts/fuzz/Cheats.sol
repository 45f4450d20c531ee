// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title The cheat codes of forge that the fuzzing of the vault uses
interface Cheats {
    function addr(uint256 privateKey) external pure returns (address);
    function chainId(uint256 id) external;
    function deal(address account, uint256 balance) external;
    function envBytes(string calldata name) external view returns (bytes memory);
    function prank(address sender) external;
    function sign(uint256 privateKey, bytes32 digest) external pure returns (uint8 v, bytes32 r, bytes32 s);
    function warp(uint256 timestamp) external;
}

/// @dev The address at which forge answers cheat codes: the last 20 bytes of keccak256("hevm cheat code").
Cheats constant cheats = Cheats(address(uint160(uint256(keccak256("hevm cheat code")))));
